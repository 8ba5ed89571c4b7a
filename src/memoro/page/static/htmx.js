/* htmx 4.0.0, https://htmx.org, Zero-Clause BSD; changed by tools/vendor_htmx.py of Memoro. */
var htmx = (() => {
const HCON = {
parse(string) {
if (!string) return {};
if (string.startsWith('{')) return JSON.parse(string);
let pattern = /(?:"([^"]+)"|'([^']+)'|([^\s,:]+))(?:\s*:\s*(?:"([^"]*)"|'([^']*)'|<((?:[^/]|\/(?!>))+)\/>|([^\s,]+)))?(?=\s|,|$)/g;
let result = {};
for (let match of string.matchAll(pattern)) {
let [,
doubleQuotedKey,    // "key"
singleQuotedKey,    // 'key'
bareKey,            //  key
doubleQuotedValue,  // "value"
singleQuotedValue,  // 'value'
hyperscriptValue,   // <value/>
bareValue,          //  value
] = match;
let key = doubleQuotedKey ?? singleQuotedKey ?? bareKey;
let value = (doubleQuotedValue ?? singleQuotedValue ?? hyperscriptValue ?? bareValue ?? 'true').trim();
try { value = JSON.parse(value); } catch {}
let isDottedPath = bareKey?.includes('.');
let pair = isDottedPath
? key.split('.').reduceRight((acc, segment) => ({[segment]: acc}), value)
: {[key]: value};
HCON.merge(pair, result);
}
return result;
},
split(string) {
return string.split(/,(?![^\[]*\])(?![^(]*\))(?![^<]*\/>)(?=(?:[^"']|"[^"]*"|'[^']*')*$)/);
},
merge(source, target) {
if (typeof source === 'string') source = HCON.parse(source);
for (let [key, val] of Object.entries(source)) {
if (['__proto__', 'constructor', 'prototype'].includes(key)) continue;
let sourceIsObject = val?.constructor === Object;
let targetIsObject = target[key]?.constructor === Object;
if (sourceIsObject && targetIsObject) {
HCON.merge(val, target[key]);
} else {
target[key] = val;
}
}
return target;
},
};
class RequestQueue {
#current = null
#queue = []
admit(strategy, runRequest, abortRequest) {
if (!this.#current) {
this.#current = {strategy, abort: abortRequest}
return "run"
}
if (strategy === "replace" || (strategy !== "abort" && this.#current.strategy === "abort")) {
this.#queue = []
this.#current.abort?.()
this.#current = {strategy, abort: abortRequest}
return "run"
}
if (strategy === "queue all") {
this.#queue.push(runRequest)
} else if (strategy === "queue last") {
this.#queue = [runRequest]
} else if (strategy !== "abort" && strategy !== "drop" && this.#queue.length === 0) {
this.#queue.push(runRequest)
} else {
return "dropped"
}
return "queued"
}
continue() {
this.#current = null    // free current slot
this.#queue.shift()?.() // run next request
}
abort() {
this.#current?.abort?.()
}
}
class Htmx {
#HCON = HCON
#extMethods = new Map();
#approvedExt = '';
#registeredExt = new Set();
_loc = window.location;  // mockable for testing
#internalAPI;
#ttPolicy = { createHTML: s => s, createScript: s => s };
#actionSelector
#boostSelector = "a,form";
#verbs = ["get", "post", "put", "patch", "delete", "query"];
#transitionQueue
#historyAbort
#historyInitialized
#processingTransition
constructor() {
this.#initHtmxConfig();
this.#initRequestIndicatorCss();
this.#actionSelector = this.#prefixSelector('[hx-action],[hx-get],[hx-post],[hx-put],[hx-patch],[hx-delete],[hx-query]');
this.#internalAPI = {
HCON,
attributeValue: this.#attributeValue.bind(this),
parseTriggerSpecs: this.#parseTriggerSpecs.bind(this),
determineMethodAndAction: this.#determineMethodAndAction.bind(this),
createRequestContext: this.#createRequestContext.bind(this),
collectFormData: this.#collectFormData.bind(this),
getAttributeObject: this.#getAttributeObject.bind(this),
insertContent: this.#insertContent.bind(this),
morph: this.#morph.bind(this),
isSoftMatch: this.#isSoftMatch.bind(this),
initSecurity: (ttPolicy) => {
if (ttPolicy) this.#ttPolicy = ttPolicy;
},
onTrigger: this.#onTrigger.bind(this),
htmxProp: this.#htmxProp.bind(this),
triggerHtmxEvent: this.#trigger.bind(this),
};
let init = () => this.initialize();
if (document.readyState === 'loading') {
document.addEventListener("DOMContentLoaded", init)
} else {
setTimeout(init)
}
}
#initHtmxConfig() {
this.version = '4.0.0'
this.config = {
logAll: false,
prefix: "data-hx-",
transitions: false,
history: true,
mode: 'same-origin',
defaultSwap: "innerHTML",
defaultFocusScroll: false,
indicatorClass: "htmx-indicator",
requestClass: "htmx-request",
includeIndicatorCSS: true,
defaultTimeout: 60000, /* 60 second default timeout */
extensions: '',
morphIgnore: ["data-htmx-powered"],
morphSkip: '[hx-morph-skip]',
morphSkipChildren: '[hx-morph-skip-children]',
morphScanLimit: 10,
noSwap: [204, 304],
implicitInheritance: false,
defaultSettleDelay: 1,
allowEmptySwapAfterOOB: false
}
let metaConfig = document.querySelector('meta[name="htmx-config"]');
if (metaConfig) {
HCON.merge(metaConfig.content, this.config);
}
this.#approvedExt = this.config.extensions;
}
#initRequestIndicatorCss() {
if (this.config.includeIndicatorCSS !== false) {
let indicator = this.config.indicatorClass;
let request = this.config.requestClass;
let sheet = new CSSStyleSheet();
sheet.replaceSync(
`.${indicator}{opacity:0;visibility: hidden} ` +
`.${request} .${indicator}, .${request}.${indicator}{opacity:1;visibility: visible;transition: opacity 200ms ease-in}`
);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
}
registerExtension(name, extension) {
if (this.#approvedExt && !this.#approvedExt.split(/,\s*/).includes(name)) return false;
if (this.#registeredExt.has(name)) return false;
this.#registeredExt.add(name);
if (extension.init) extension.init(this.#internalAPI);
Object.entries(extension).forEach(([key, value]) => {
if(!this.#extMethods.get(key)?.push(value)) this.#extMethods.set(key, [value]);
});
}
#ignore(elt) {
let p = this.config.prefix;
return !elt.closest || elt.closest('[hx-ignore]') != null || (p && elt.closest(`[${p}ignore]`) != null);
}
#attr(elt, name) {
let p = this.config.prefix;
return elt.getAttribute(name) ?? (p ? elt.getAttribute(name.replace('hx-', p)) : null);
}
#attrName(elt, name) {
let p = this.config.prefix && name.replace('hx-', this.config.prefix);
return elt.hasAttribute(name) ? name : (p && elt.hasAttribute(p) ? p : null);
}
#prefixSelector(s) {
return this.#prefixes(s).join(',');
}
#prefixes(s) {
let result = [s];
if (this.config.prefix) result.push(s.replaceAll('hx-', this.config.prefix));
return result;
}
#queryEltAndDescendants(elt, selector) {
let results = [...(elt.querySelectorAll?.(selector) ?? [])];
if (elt.matches?.(selector)) {
results.unshift(elt);
}
return results;
}
#normalizeSwapStyle(style) {
return style === 'before' ? 'beforebegin' :
style === 'after' ? 'afterend' :
style === 'prepend' ? 'afterbegin' :
style === 'append' ? 'beforeend' : style;
}
#findThisElements(elt, attrName) {
let result = [];
this.#attributeValue(elt, attrName, undefined, (val, elt) => {
if (val?.split(/\s*[,:]\s*/).includes('this')) result.push(elt);
});
return result;
}
#attributeValue(elt, name, defaultVal, eltCollector) {
name = this.#maybeAdjustMetaCharacter(name);
let inherited = this.#maybeAdjustMetaCharacter(":inherited");
let append = this.#maybeAdjustMetaCharacter(":append");
let val = this.#attr(elt, name) ?? this.#attr(elt, name + inherited);
if (val != null) return eltCollector ? eltCollector(val, elt) : val;
let n1 = CSS.escape(this.config.implicitInheritance ? name : name + inherited);
let n2 = CSS.escape(name + inherited + append);
let inheritSelector = this.#prefixSelector(`[${n1}],[${n2}]`);
let appendName = this.#attrName(elt, name + append) ?? this.#attrName(elt, name + inherited + append);
if (appendName) {
let appendValue = elt.getAttribute(appendName);
let parent = elt.parentNode?.closest?.(inheritSelector);
if (eltCollector) eltCollector(appendValue, elt);
if (parent) {
let parentVal = this.#attributeValue(parent, name, undefined, eltCollector);
return parentVal ? (parentVal + "," + appendValue).replace(/[{}]/g, '') : appendValue;
}
return appendValue;
}
let parent = elt.parentNode?.closest?.(inheritSelector);
if (parent) {
val = this.#attributeValue(parent, name, undefined, eltCollector);
if (!eltCollector && val && this.config.implicitInheritance) {
this.#triggerExtensions(elt, "htmx:after:implicitInheritance", {elt, name, parent})
}
return val;
}
return defaultVal;
}
#parseTriggerSpecs(spec) {
return HCON.split(spec).flatMap(s => {
let [,name,rest] = s.match(/^\s*(\S+\[[^\]]*\]|\S+)\s*(.*?)\s*$/) ?? [];
if (!name) return [];  // skip empty/whitespace-only tokens
if (/\[[^\]]*$/.test(name)) throw "unterminated:" + name;  // e.g. click[ctrlKey
return [{name, ...HCON.parse(rest)}];  // spread modifiers (delay, throttle, etc.) onto result
});
}
#determineMethodAndAction(elt, evt) {
let method = this.#attributeValue(elt, "hx-method");
let action = this.#attributeValue(elt, "hx-action");
if (!action) {
for (let verb of this.#verbs) {
let verbAction = this.#attributeValue(elt, "hx-" + verb);
if (verbAction != null) {
action = verbAction;
method = verb;
break;
}
}
}
if (this.#isBoosted(elt)) {
action ||= evt.submitter?.getAttribute?.("formAction") || elt.getAttribute(elt.matches("a") ? "href" : "action");
}
method ||= evt.submitter?.getAttribute?.("formmethod") || elt.getAttribute("method") || "GET";
return {action, method: method.toUpperCase()};
}
#htmxProp(elt) {
if (!elt._htmx) {
elt._htmx = { listeners: [], triggerSpecs: [] };
elt.setAttribute('data-htmx-powered', 'true');
}
return elt._htmx;
}
#htmxState(elt) {
return elt._htmx_state ||= {};
}
#initializeElement(elt) {
if (this.#shouldInitialize(elt) && this.#trigger(elt, "htmx:before:init", {}, true)) {
let htmxProp = this.#htmxProp(elt);
htmxProp.initialized = true;
htmxProp.eventHandler = this.#createHtmxEventHandler(elt);
this.#initializeTriggers(elt);
this.#trigger(elt, "htmx:after:init", {}, true)
}
}
#createHtmxEventHandler(elt) {
return async (evt) => {
try {
let ctx = this.#createRequestContext(elt, evt);
await this.#handleTriggerEvent(ctx);
} catch (e) {
this.#trigger(elt, 'htmx:error', { error: e });
}
};
}
#createRequestContext(sourceElement, sourceEvent) {
let {action, method} = this.#determineMethodAndAction(sourceElement, sourceEvent);
let [fullAction, anchor] = (action || '').split('#');
let ac = new AbortController();
let ctx = {
sourceElement,
sourceEvent,
status: "created",
select: this.#attributeValue(sourceElement, "hx-select"),
selectOOB: this.#attributeValue(sourceElement, "hx-select-oob"),
target: this.#attributeValue(sourceElement, "hx-target"),
swap: this.#attributeValue(sourceElement, "hx-swap") ?? this.config.defaultSwap,
push: this.#attributeValue(sourceElement, "hx-push-url"),
replace: this.#attributeValue(sourceElement, "hx-replace-url"),
transition: this.config.transitions,
confirm: this.#attributeValue(sourceElement, "hx-confirm"),
request: {
validate: "true" === this.#attributeValue(sourceElement, "hx-validate", sourceElement.matches('form') && !sourceElement.noValidate && !sourceEvent.submitter?.formNoValidate ? "true" : "false"),
action: fullAction,
anchor,
method,
headers: this.#createCoreHeaders(sourceElement),
abort: ac.abort.bind(ac),
credentials: "same-origin",
signal: ac.signal,
mode: this.config.mode
}
};
if (sourceElement._htmx?.boosted) {
HCON.merge(sourceElement._htmx.boosted, ctx);
}
ctx.target = this.#resolveTarget(sourceElement, ctx.target);
if (ctx.target) {
ctx.request.headers["HX-Target"] = this.#buildIdentifier(ctx.target);
}
let hxConfig = this.#attributeValue(sourceElement, "hx-config");
if (hxConfig) {
HCON.merge(hxConfig, ctx.request);
ctx.request.mode = this.config.mode;  // mode is security-sensitive, never allow per-element override
}
return ctx;
}
#buildIdentifier(elt) {
return `${elt.tagName.toLowerCase()}${elt.id ? '#' + encodeURI(elt.id) : ''}`;
}
#createCoreHeaders(elt) {
let headers = {
"HX-Request": "true",
"HX-Source": this.#buildIdentifier(elt),
"HX-Current-URL": location.href,
"Accept": "text/html"
};
if (this.#isBoosted(elt)) {
headers["HX-Boosted"] = "true"
}
return headers;
}
#handleHxHeaders(elt, ctx) {
return this.#getAttributeObject(elt, "hx-headers", obj => {
for (let key in obj) ctx.request.headers[key] = String(obj[key]);
}, {ctx});
}
#resolveTarget(elt, selector) {
if (selector instanceof Element) {
return selector;
} else if (selector != null) {
return this.#findOrWarn(elt, selector, "hx-target");
} else if (this.#isBoosted(elt)) {
return document.body
} else {
return elt;
}
}
#isBoosted(elt) {
return elt?._htmx?.boosted;
}
async #handleTriggerEvent(ctx) {
let elt = ctx.sourceElement
let evt = ctx.sourceEvent
if (!elt.isConnected) return
if (this.#isModifierKeyClick(evt)) return
if (this.#shouldCancel(evt)) evt.preventDefault()
let usesQueryParams = /GET|DELETE/.test(ctx.request.method);
let form = usesQueryParams
? (elt.matches('form') ? elt : null)
: (elt.form || elt.closest("form"))
let body = this.#collectFormData(elt, form, evt.submitter, ctx.request.validate, usesQueryParams)
if (!body) return  // Validation failed
let valsResult = this.#getAttributeObject(elt, "hx-vals", obj => {
ctx.vals = obj; // make available for json extensions
for (let key in obj) body.set(key, obj[key]);
}, {ctx});
if (valsResult) await valsResult; // Only await if it returned a promise
if (ctx.values) {
for (let k in ctx.values) {
body.delete(k);
body.append(k, ctx.values[k]);
}
}
let headersResult = this.#handleHxHeaders(elt, ctx)
if (headersResult) await headersResult  // Only await if it returned a promise
Object.assign(ctx.request, {
form,
submitter: evt.submitter,
body
})
if (!this.#trigger(elt, "htmx:config:request", {ctx: ctx})) return
if (ctx.request.method === 'DIALOG') return
if (usesQueryParams) {
let url = new URL(ctx.request.action, document.baseURI);
for (let key of ctx.request.body.keys()) {
url.searchParams.delete(key);
}
for (let [key, value] of ctx.request.body) {
url.searchParams.append(key, value);
}
if (url.origin === location.origin) {
ctx.request.action = url.pathname + url.search;
} else {
ctx.request.action = url.href;
}
ctx.request.body = null;
} else if ((this.#attributeValue(elt, "hx-encoding") ?? form?.enctype) !== "multipart/form-data") {
ctx.request.body = new URLSearchParams(ctx.request.body);
}
await this.#issueRequest(ctx);
}
async #issueRequest(ctx) {
let elt = ctx.sourceElement
let syncStrategy = this.#determineSyncStrategy(elt);
let requestQueue = this.#getRequestQueue(elt);
this.#initializeAbortListener(elt);
if (requestQueue.admit(
syncStrategy,
() => this.#issueRequest(ctx), // run when ready
() => ctx.request?.abort?.()    // abort if replaced
) !== "run") return
ctx.status = "issuing"
let indicators = [];
let disableElements = [];
try {
if (ctx.confirm) {
let confirmed = await new Promise(resolve => {
let detail = {ctx, issueRequest: () => resolve(true), dropRequest: () => resolve(false)};
if (this.#trigger(elt, "htmx:confirm", detail)) {
resolve(window.confirm(ctx.confirm));
}
});
if (!confirmed) return;
}
this.#initTimeout(ctx);
indicators = this.#showIndicators(elt);
disableElements = this.#disableElements(elt);
ctx.fetch ||= window.fetch.bind(window)
ctx.request.headers["HX-Request-Type"] = (ctx.target === document.body || ctx.select) ? "full" : "partial";
if (!this.#trigger(elt, "htmx:before:request", {ctx})) return;
let response = await ctx.fetch(ctx.request.action, ctx.request);
ctx.response = {
raw: response,
status: response.status,
headers: response.headers,
}
this.#extractHxHeaders(ctx);
if (!this.#trigger(elt, "htmx:before:response", {ctx})) return;
ctx.text = await response.text();
if (!this.#trigger(elt, "htmx:after:request", {ctx})) return;
if (ctx.response.status >= 400) {
this.#trigger(elt, "htmx:response:error", {ctx})
}
if(this.#handleHeadersAndMaybeReturnEarly(ctx)){
ctx.keepIndicators = true;
return
}
if (ctx.status === "issuing") {
if (ctx.hx.retarget) ctx.target = ctx.hx.retarget;   // HX-Retarget
if (ctx.hx.reswap) ctx.swap = ctx.hx.reswap;       // HX-Reswap
if (ctx.hx.reselect) ctx.select = ctx.hx.reselect; // HX-Reselect
ctx.status = "response received";
this.#handleStatusCodes(ctx);
await this.swap(ctx);
ctx.status = "swapped";
}
} catch (error) {
ctx.status = "error: " + error;
this.#trigger(elt, "htmx:error", {ctx, error})
} finally {
await ctx.extensionPromise?.catch(() => {});
clearTimeout(ctx.requestTimeout);
if (ctx.hx?.trigger) { // HX-Trigger
this.#handleTriggerHeader(ctx.hx.trigger, ctx.sourceElement);
}
this.#trigger(elt, "htmx:finally:request", {ctx})
if (!ctx.keepIndicators) {
this.#hideIndicators(indicators);
this.#enableElements(disableElements);
}
requestQueue.continue()
}
}
#extractHxHeaders(ctx) {
ctx.hx = {}
for (let [k, v] of ctx.response.raw.headers) {
if (k.toLowerCase().startsWith('hx-')) {
ctx.hx[k.slice(3).toLowerCase().replace(/-/g, '')] = v
}
}
}
#handleHeadersAndMaybeReturnEarly(ctx) {
if (ctx.hx.refresh === 'true') { // HX-Refresh
this._loc.reload();
return true
}
if (ctx.hx.redirect) { // HX-Redirect
this._loc.href = ctx.hx.redirect;
return true
}
if (ctx.hx.location) { // HX-Location
let path = ctx.hx.location, opts = {};
let parsed = HCON.parse(path);
if (path[0] === '{' || parsed.path != null) {
opts = parsed;
path = opts.path;
delete opts.path;
}
if (opts.push == null && opts.replace == null) opts.push = 'true';
this.ajax('GET', path, opts);
return true
}
}
#initTimeout(ctx) {
let timeout = ctx.request.timeout != null
? this.parseInterval(ctx.request.timeout)
: this.config.defaultTimeout;
if (timeout) {
ctx.requestTimeout = setTimeout(() => ctx.request?.abort?.(), timeout);
}
}
#determineSyncStrategy(elt) {
let hxSync = this.#attributeValue(elt, "hx-sync");
if (!hxSync) return "queue first";
let strategy = hxSync.split(":").pop().trim();
return /^(drop|abort|replace|queue)/.test(strategy) ? strategy : "queue first";
}
#getRequestQueue(elt) {
let hxSync = this.#attributeValue(elt, "hx-sync");
let syncElt = elt
if (hxSync) {
let selector = hxSync.includes(":")
? hxSync.slice(0, hxSync.lastIndexOf(":")).trim()
: (/^(drop|abort|replace|queue)/.test(hxSync) ? null : hxSync);
if (selector) syncElt = this.#findOrWarn(elt, selector, "hx-sync") || elt;
}
return this.#htmxState(syncElt).rq ||= new RequestQueue()
}
#isModifierKeyClick(evt) {
return evt.type === 'click' && (evt.ctrlKey || evt.metaKey || evt.shiftKey)
&& !!evt.currentTarget?.closest?.('a[href]')
}
#shouldCancel(evt) {
let elt = evt.currentTarget
let isSubmit = evt.type === 'submit' && elt?.tagName === 'FORM'
if (isSubmit) return true
let isClick = evt.type === 'click' && evt.button === 0
if (!isClick) return false
let btn = elt?.closest?.('button, input[type="submit"], input[type="image"]')
let form = btn?.form || btn?.closest('form')
let isSubmitButton = btn && !btn.disabled && form &&
(btn.type === 'submit' || btn.type === 'image' || (!btn.type && btn.tagName === 'BUTTON'))
if (isSubmitButton) return true
let link = elt?.closest?.('a')
if (!link || !link.href) return false
let href = link.getAttribute('href')
let isFragmentOnly = href && href.startsWith('#') && href.length > 1
return !isFragmentOnly
}
#initializeTriggers(elt, initialHandler = elt._htmx.eventHandler) {
let hxTrigger = this.#attributeValue(elt, "hx-trigger");
let trigger = hxTrigger || (elt.matches("form") ? "submit" :
elt.matches("input:not([type=button]):not([type=submit]),select,textarea") ? "change" :
"click");
this.#onTrigger(elt, trigger, initialHandler)
}
#onTrigger(elt, specString, handler) {
let specs = this.#parseTriggerSpecs(specString)
this.#htmxProp(elt).triggerSpecs.push(...specs)
for (let spec of specs) {
spec.listeners = []
let [eventName, filter] = this.#extractFilter(spec.name);
let fromElts = [elt];
if (spec.from === 'outside') fromElts = [document];
else if (spec.from && spec.from !== 'self') fromElts = this.#findAllExt(elt, spec.from);
let inner = (evt) => {
if (spec.halt || spec.prevent) evt.preventDefault();
if (spec.halt || spec.stop || spec.consume) evt.stopPropagation();
if (spec.once) {
for (let info of spec.listeners) info.fromElt.removeEventListener(info.eventName, info.handler, info);
}
handler(evt);
};
let timed = inner;
if (spec.delay) {
timed = evt => {
clearTimeout(spec.timeout);
spec.timeout = setTimeout(() => inner(evt), this.parseInterval(spec.delay));
};
} else if (spec.throttle) {
timed = evt => {
if (spec.throttled) {
spec.throttledEvent = evt;
} else {
spec.throttled = true;
inner(evt);
spec.throttleTimeout = setTimeout(() => {
spec.throttled = false;
if (spec.throttledEvent) {
let e = spec.throttledEvent;
spec.throttledEvent = null;
timed(e);
}
}, this.parseInterval(spec.throttle));
}
};
}
spec.handler = (evt) => {
if (spec.from === 'self' && evt.target !== elt) return;
if (spec.from === 'outside' && elt.contains(evt.target)) return;
if (spec.target && !evt.target?.matches?.(spec.target)) return;
if (spec.changed) {
let values = spec.values ??= new WeakMap();
let changed = false;
for (let fromElt of fromElts) {
if (values.get(fromElt) !== fromElt.value) {
changed = true;
values.set(fromElt, fromElt.value);
}
}
if (!changed) return;
}
if (filter != null) return;
timed(evt);
};
if (eventName === 'intersect' || eventName === 'revealed') {
let observerOptions = {rootMargin: spec.rootMargin};
if (spec.root) observerOptions.root = this.#findOrWarn(elt, spec.root);
if (spec.threshold) observerOptions.threshold = parseFloat(spec.threshold);
let isRevealed = eventName === 'revealed';
spec.observer = new IntersectionObserver((entries) => {
for (let i = 0; i < entries.length; i++) {
if (entries[i].isIntersecting) {
this.trigger(elt, 'intersect', {}, false);
if (isRevealed) spec.observer.disconnect();
break;
}
}
}, observerOptions);
eventName = 'intersect';
spec.observer.observe(elt);
}
if (eventName === "every") {
let interval = Object.keys(spec).find(k => k !== 'name');
spec.interval = setInterval(() => {
if (elt.isConnected) this.#trigger(elt, 'every', {}, false);
else clearInterval(spec.interval);
}, this.parseInterval(interval));
}
if (eventName === 'load') {
spec.handler(new CustomEvent('load'));
continue;
}
for (let fromElt of fromElts) {
let listenerInfo = {fromElt, eventName, handler: spec.handler,
capture: !!spec.capture, passive: !!spec.passive};
elt._htmx.listeners.push(listenerInfo);
spec.listeners.push(listenerInfo);
fromElt.addEventListener(eventName, spec.handler, listenerInfo);
}
}
}
#extractFilter(str) {
let match = str.match(/^([^\[]*)\[([^\]]*)]/);
if (!match) return [str, null];
return [match[1], match[2]];
}
#handleTriggerHeader(value, elt) {
if (value[0] === '{') {
let triggers = HCON.parse(value);
for (let name in triggers) {
let detail = triggers[name];
let target = elt;
if (detail?.target) {
target = this.find(detail.target);
}
this.trigger(target, name, typeof detail === 'object' ? detail : {value: detail});
}
} else {
value.split(',').forEach(name => this.trigger(elt, name.trim(), {}));
}
}
process(root, force) {
if (!root?.isConnected) return;
if (!(root instanceof Element)) { // ShadowRoot
for (let elt of root.children || []) this.process(elt, force);
return;
}
if (force) this.#cleanup(root, true);
if (this.#ignore(root)) return;
if (!this.#trigger(root, "htmx:before:process")) return
for (let elt of this.#queryEltAndDescendants(root, this.#actionSelector)) {
this.#initializeElement(elt);
}
for (let elt of this.#queryEltAndDescendants(root, this.#boostSelector)) {
this.#maybeBoost(elt);
}
this.#trigger(root, "htmx:after:process");
}
#maybeBoost(elt) {
let hxBoost = this.#attributeValue(elt, "hx-boost");
if (hxBoost && hxBoost !== "false" && this.#shouldBoost(elt) && this.#trigger(elt, "htmx:before:init", {}, true)) {
let htmxProp = this.#htmxProp(elt);
htmxProp.initialized = true;
htmxProp.eventHandler = this.#createHtmxEventHandler(elt);
htmxProp.boosted = hxBoost;
let eventName = elt.matches('a') ? 'click' : 'submit';
elt._htmx.listeners.push({fromElt: elt, eventName, handler: elt._htmx.eventHandler});
elt.addEventListener(eventName, elt._htmx.eventHandler);
this.#trigger(elt, "htmx:after:init", {}, true)
}
}
#shouldBoost(elt) {
if (this.#shouldInitialize(elt)) {
if (elt.tagName === "A") {
if (elt.target === '' || elt.target === '_self') {
return !elt.hasAttribute('download') && !elt.getAttribute('href')?.startsWith?.("#") && this.#isSameOrigin(elt.href)
}
} else if (elt.tagName === "FORM") {
return elt.method !== 'dialog' &&  this.#isSameOrigin(elt.action);
}
}
}
#isSameOrigin(url) {
try {
const parsed = new URL(url, window.location.href);
return parsed.origin === window.location.origin;
} catch (e) {
return false;
}
}
#shouldInitialize(elt) {
return !elt._htmx?.initialized && !this.#ignore(elt);
}
#cleanup(elt, force) {
let elts = [elt, ...elt.querySelectorAll?.('[data-htmx-powered]') ?? []];
for (let e of elts) {
if (!e._htmx) continue;
this.#trigger(e, "htmx:before:cleanup")
for (let spec of e._htmx.triggerSpecs || []) {
if (spec.interval) clearInterval(spec.interval);
if (spec.timeout) clearTimeout(spec.timeout);
if (spec.throttleTimeout) clearTimeout(spec.throttleTimeout);
spec.observer?.disconnect()
}
for (let info of e._htmx.listeners || []) {
info.fromElt.removeEventListener(info.eventName, info.handler, info);
}
e.removeAttribute('data-htmx-powered');
this.#trigger(e, "htmx:after:cleanup")
if (force) delete e._htmx;
}
}
#handlePreservedElements(fragment) {
let pantry = document.createElement('div');
pantry.hidden = true;
document.body.insertAdjacentElement('afterend', pantry);
let newPreservedElts = fragment.querySelectorAll?.(this.#prefixSelector('[hx-preserve]')) || [];
for (let preservedElt of newPreservedElts) {
let currentElt = document.getElementById(preservedElt.id);
if (currentElt) {
this.#moveBefore(pantry, currentElt, null);
}
}
return pantry
}
#restorePreservedElements(pantry) {
for (let preservedElt of [...pantry.children]) {
let newElt = document.getElementById(preservedElt.id);
if (newElt) {
this.#moveBefore(newElt.parentNode, preservedElt, newElt);
this.#cleanup(newElt)
newElt.remove()
}
}
pantry.remove();
}
#parseHTML(resp) {
let trusted = this.#ttPolicy.createHTML(resp);
return Document.parseHTMLUnsafe?.(trusted) || new DOMParser().parseFromString(trusted, 'text/html');
}
#makeFragment(text) {
let response = text.replace(/<hx-([a-z]+)(\s+|>)/gi, '<template hx type="$1"$2').replace(/<\/hx-[a-z]+>/gi, '</template>');
let title = '';
response = response.replace(/<head(\s[^>]*)?>[\s\S]*?<\/head>/i, m => (title = this.#parseHTML(m).title, ''));
let startTag = response.match(/<([a-z][^\/>\x20\t\r\n\f]*)/i)?.[1]?.toLowerCase();
let doc, fragment;
if (startTag === 'html' || startTag === 'body') {
doc = this.#parseHTML(response);
fragment = document.createDocumentFragment();
fragment.append(doc.body);
} else {
doc = this.#parseHTML(`<template>${response}</template>`);
fragment = doc.querySelector('template').content;
}
if (!title) {
let titleElt = fragment.querySelector('title:not(svg title)');
if (titleElt) {
title = titleElt.textContent;
titleElt.remove();
}
}
this.#processScripts(fragment);
return {
fragment,
title
};
}
#createOOBTask(tasks, elt, oobValue, sourceElement) {
let targetSelector = elt.id ? '#' + CSS.escape(elt.id) : null;
if (oobValue !== 'true' && oobValue && !oobValue.includes(' ')) {
[oobValue, targetSelector = targetSelector] = oobValue.split(/:(.*)/);
}
if (oobValue === 'true' || !oobValue) oobValue = 'outerHTML';
let swapSpec = this.#parseSwapSpec(oobValue);
targetSelector = swapSpec.target || targetSelector;
swapSpec.strip ??= !swapSpec.style.startsWith('outer');
if (!targetSelector) return;
let targets = [...document.querySelectorAll(targetSelector)];
for (let target of targets) {
let fragment = document.createDocumentFragment();
fragment.append(elt.cloneNode(true));
tasks.push({type: 'oob', fragment, target, swapSpec, sourceElement});
}
elt.remove();
}
#processOOB(fragment, sourceElement, selectOOB) {
let tasks = [];
if (selectOOB) {
for (let spec of selectOOB.split(',')) {
let [selector, oobValue = 'true'] = spec.split(/:(.*)/);
for (let elt of fragment.querySelectorAll(selector)) {
this.#createOOBTask(tasks, elt, oobValue, sourceElement);
}
}
}
for (let oobElt of fragment.querySelectorAll(this.#prefixSelector('[hx-swap-oob]'))) {
let oobAttr = this.#attrName(oobElt, 'hx-swap-oob');
let oobValue = oobElt.getAttribute(oobAttr);
oobElt.removeAttribute(oobAttr);
this.#createOOBTask(tasks, oobElt, oobValue, sourceElement);
}
return tasks;
}
#insertNodes(parent, before, fragment) {
if (before) {
before.before(...fragment.childNodes);
} else {
parent.append(...fragment.childNodes);
}
}
#parseSwapSpec(swapStr) {
swapStr = swapStr.trim();
let style = this.config.defaultSwap
if (swapStr && !/^\S*:/.test(swapStr)) {
let m = swapStr.match(/^(\S+)\s*(.*)$/);
style = m[1];
swapStr = m[2];
}
return {style: this.#normalizeSwapStyle(style), ...HCON.parse(swapStr)};
}
#processPartials(fragment, ctx) {
let tasks = [];
for (let templateElt of fragment.querySelectorAll('template[hx]')) {
let type = templateElt.getAttribute('type');
if (type === 'partial') {
let targetSelector = this.#attr(templateElt, 'hx-target') || (templateElt.id ? '#' + CSS.escape(templateElt.id) : null);
if (targetSelector) {
this.#processScripts(templateElt.content);
let swapSpec = this.#parseSwapSpec(this.#attr(templateElt, 'hx-swap') || this.config.defaultSwap);
let targets = this.#findAllExt(ctx.sourceElement, targetSelector);
for (let target of targets.length ? targets : [null]) {
tasks.push({
type: 'partial',
fragment: templateElt.content.cloneNode(true),
target,
swapSpec,
sourceElement: ctx.sourceElement
});
}
}
} else {
this.#triggerExtensions(templateElt, 'htmx:process:' + type, { ctx, tasks });
}
templateElt.remove();
}
return tasks;
}
#setFocus(elt, options, start, end) {
try {
if (start != null && elt.setSelectionRange) {
elt.setSelectionRange(start, end);
}
elt.focus(options);
} catch (e) {
}
}
#handleAutoFocus(elt) {
let autofocus = this.#queryEltAndDescendants(elt, '[autofocus]')[0];
if (autofocus) {
this.#setFocus(autofocus);
}
}
#handleScroll(swapSpec, target) {
if (swapSpec.scroll) {
let scrollTarget = swapSpec.scrollTarget ? this.#findExt(swapSpec.scrollTarget) : target;
if (scrollTarget) {
if (swapSpec.scroll === 'top') {
scrollTarget.scrollTop = 0;
} else if (swapSpec.scroll === 'bottom'){
scrollTarget.scrollTop = scrollTarget.scrollHeight;
}
}
}
if (swapSpec.show === 'top' || swapSpec.show === 'bottom') {
let showTarget = swapSpec.showTarget ? this.#findExt(swapSpec.showTarget) : target;
showTarget?.scrollIntoView?.(swapSpec.show === 'top')
}
}
#handleAnchorScroll(ctx) {
if (ctx.request?.anchor) {
document.getElementById(ctx.request.anchor)?.scrollIntoView({block: 'start', behavior: 'auto'});
}
}
#processScripts(container) {
let scripts = this.#queryEltAndDescendants(container, 'script');
for (let oldScript of scripts) {
oldScript.remove();
}
}
initialize() {
if (this.config.history && !this.#historyInitialized) {
this.#historyInitialized = true;
if (!history.state) history.replaceState({htmx: true}, '', location.href);
if (window.navigation && !/firefox/i.test(navigator.userAgent)) {
navigation.addEventListener('navigate', (event) => {
if (event.navigationType === 'traverse' && event.canIntercept && !event.hashChange)
event.intercept({handler: () => this.#restoreHistory()});
});
} else {
window.addEventListener('popstate', (event) => this.#restoreHistory(event.state));
}
}
this.process(document.body);
}
async swap(ctx) {
try {
this.#handleHistoryUpdate(ctx);
let {fragment, title} = this.#makeFragment(ctx.text);
ctx.title = title;
let tasks = [];
let oobTasks = this.#processOOB(fragment, ctx.sourceElement, ctx.selectOOB);
let partialTasks = this.#processPartials(fragment, ctx);
tasks.push(...oobTasks, ...partialTasks);
let hasPartials = partialTasks.length || (oobTasks.length && !this.config.allowEmptySwapAfterOOB);
let mainSwap = this.#processMainSwap(ctx, fragment, hasPartials);
if (mainSwap) {
tasks.unshift(mainSwap);
}
if(!this.#trigger(ctx.sourceElement, "htmx:before:swap", {ctx, tasks})){
return
}
let swapPromises = [];
let transitionTasks = [];
for (let task of tasks) {
if (task.swapSpec?.transition ?? mainSwap?.transition ?? ctx.transition) {
transitionTasks.push(task);
} else {
swapPromises.push(this.#insertContent(task));
}
}
if (transitionTasks.length > 0) {
let tasksWrapper = async ()=> {
for (let task of transitionTasks) {
await this.#insertContent(task, false)
}
}
swapPromises.push(this.#submitTransitionTask(tasksWrapper, ctx));
}
await Promise.all(swapPromises);
if (!ctx.sourceElement?.isConnected && mainSwap?.target?.isConnected) {
ctx.sourceElement = mainSwap.target;
}
this.#trigger(ctx.sourceElement, "htmx:after:swap", {ctx});
if (ctx.title && !mainSwap?.swapSpec?.ignoreTitle) document.title = ctx.title;
this.#handleAnchorScroll(ctx);
} finally {
this.#trigger(ctx.sourceElement, "htmx:finally:swap", {ctx});
}
}
#processMainSwap(ctx, fragment, hasPartials) {
let swapSpec = this.#parseSwapSpec(ctx.swap || this.config.defaultSwap);
if (
swapSpec.style === 'delete' ||    // delete always runs regardless of content
fragment.childElementCount > 0 || // or fragment has elements
fragment.textContent.trim() ||    // or fragment has text
(swapSpec.swapEmpty ?? !hasPartials)
) {
if (ctx.select) {
let selected = fragment.querySelectorAll(ctx.select);
fragment = document.createDocumentFragment();
fragment.append(...selected);
}
if (this.#isBoosted(ctx.sourceElement)) {
swapSpec.show ||= 'top';
}
let mainSwap = {
type: 'main',
fragment,
target: this.#resolveTarget(ctx.sourceElement || document.body, swapSpec.target || ctx.target),
swapSpec,
sourceElement: ctx.sourceElement,
transition: ctx.transition && swapSpec.transition !== false
};
return mainSwap;
}
}
async #insertContent(task, cssTransition = true) {
let {target, swapSpec, fragment} = task;
if (typeof target === 'string') {
target = document.querySelector(target);
}
if (!target) return;
if (typeof swapSpec === 'string') {
swapSpec = this.#parseSwapSpec(swapSpec);
}
let swapStyle = swapSpec.style;
if (swapStyle === 'none') return;
if (fragment.firstElementChild?.tagName === 'BODY') {
const keepBody = target === document.body && swapStyle.startsWith('outer')
if (keepBody && swapStyle === 'outerHTML') swapStyle = 'outerSync'
swapSpec.strip ??= !keepBody
}
if (swapSpec.strip && fragment.firstElementChild) {
fragment = document.createDocumentFragment();
fragment.append(...(task.fragment.firstElementChild.content || task.fragment.firstElementChild).childNodes);
}
this.#addClass(target, "htmx-swapping")
if (cssTransition && task.swapSpec?.swap) {
await this.timeout(task.swapSpec?.swap)
}
if (swapStyle === 'delete') {
if (target.parentNode) {
this.#cleanup(target);
target.parentNode.removeChild(target);
}
return;
}
let focusInfo;
let settleTasks = []
let settleDelay = swapSpec.settle ?? this.config.defaultSettleDelay;
let parentNode = target.parentNode;
if (swapStyle === 'innerHTML' || (swapStyle === 'outerHTML' && parentNode)) {
let activeElt = document.activeElement;
if (activeElt?.id) {
let start, end;
try { start = activeElt.selectionStart; end = activeElt.selectionEnd; } catch (e) {}
focusInfo = { elt: activeElt, start, end };
}
settleTasks = cssTransition && settleDelay ? this.#startCSSTransitions(fragment, target) : []
}
let pantry = this.#handlePreservedElements(fragment);
let newContent = [...fragment.childNodes]
try {
if (swapStyle === 'innerHTML') {
for (const child of target.children) {
this.#cleanup(child)
}
target.replaceChildren(...fragment.childNodes);
} else if (swapStyle === 'textContent') {
for (const child of target.querySelectorAll('[data-htmx-powered]')) {
this.#cleanup(child)
}
target.textContent = fragment.textContent;
} else if (swapStyle === 'outerHTML') {
if (parentNode) {
this.#insertNodes(parentNode, target, fragment);
this.#cleanup(target)
parentNode.removeChild(target);
target = newContent[0] || parentNode
}
} else if (swapStyle === 'outerSync') {
this.#copyAttributes(target, fragment.firstElementChild);
for (const child of target.children) {
this.#cleanup(child)
}
target.replaceChildren(...fragment.firstElementChild.childNodes);
newContent = [target];
} else if (swapStyle === 'innerMorph') {
this.#morph(target, fragment, true);
newContent = [...target.childNodes];
} else if (swapStyle === 'outerMorph') {
this.#morph(target, fragment, false);
newContent.push(target);
} else if (swapStyle === 'beforebegin') {
if (parentNode) {
this.#insertNodes(parentNode, target, fragment);
}
} else if (swapStyle === 'afterbegin') {
this.#insertNodes(target, target.firstChild, fragment);
} else if (swapStyle === 'beforeend') {
this.#insertNodes(target, null, fragment);
} else if (swapStyle === 'afterend') {
if (parentNode) {
this.#insertNodes(parentNode, target.nextSibling, fragment);
}
} else {
let methods = this.#extMethods.get('handle_swap') || []
let handled = false;
for (const method of methods) {
let result = method(swapStyle, target, fragment, swapSpec);
if (result) {
handled = true;
if (Array.isArray(result)) {
newContent = result;
}
break;
}
}
if (!handled) {
throw new Error(`Unknown swap style: ${swapStyle}`);
}
}
} finally {
this.#removeClass(target, "htmx-swapping")
}
task.target = target;
this.#restorePreservedElements(pantry);
if (focusInfo && !focusInfo.elt.matches(':focus')) {
let newElt = document.getElementById(focusInfo.elt.id);
if (newElt) {
let focusOptions = { preventScroll: swapSpec.focusScroll !== undefined ? !swapSpec.focusScroll : !this.config.defaultFocusScroll };
this.#setFocus(newElt, focusOptions, focusInfo.start, focusInfo.end);
}
}
this.#trigger(target, "htmx:before:settle", {task, newContent, settleTasks})
for (const elt of newContent) {
this.#addClass(elt, "htmx-added")
}
if (cssTransition && settleTasks.length > 0) {
this.#addClass(target, "htmx-settling")
await this.timeout(settleDelay);
for (let settleTask of settleTasks) {
settleTask()
}
this.#removeClass(target, "htmx-settling")
}
this.#trigger(target, "htmx:after:settle", {task, newContent, settleTasks})
for (const elt of newContent) {
this.#removeClass(elt, "htmx-added")
this.process(elt);
this.#handleAutoFocus(elt);
}
this.#handleScroll(swapSpec, target);
}
#trigger(on, eventName, detail = {}, bubbles = true) {
if (detail.error) {
let prefix = `htmx: ${eventName}: ${detail.error.message ?? detail.error}`;
if (detail.error instanceof Error) console.error(prefix, detail.error, { elt: on, detail });
else console.error(prefix, { elt: on, detail });
} else if (detail.warn) {
console.warn(`htmx: ${eventName}: ${detail.warn}`, { elt: on, detail });
} else if (this.config.logAll) {
console.log(`htmx: ${eventName}`, { elt: on, detail });
}
on = this.#normalizeElement(on)
this.#triggerExtensions(on, eventName, detail);
return this.trigger(on, this.#maybeAdjustMetaCharacter(eventName), detail, bubbles)
}
#triggerExtensions(elt, eventName, detail = {}) {
let methods = this.#extMethods.get(eventName.replace(/:/g, '_'))
if (methods) {
detail.cancelled = false;
for (const fn of methods) {
if (fn(elt, detail) === false || detail.cancelled) {
detail.cancelled = true;
return false;
}
}
}
return true;
}
timeout(time) {
time = this.parseInterval(time);
if (time > 0) {
return new Promise(resolve => setTimeout(resolve, time));
}
}
onLoad(callback) {
this.on(this.#maybeAdjustMetaCharacter("htmx:after:process"), (evt) => {
callback(evt.target)
})
}
on(eventOrElt, eventOrCallback, callback) {
let event;
let elt = document;
if (callback === undefined) {
event = eventOrElt;
callback =  eventOrCallback
} else {
elt = this.#normalizeElement(eventOrElt);
event = eventOrCallback;
}
elt.addEventListener(event, callback);
return callback;
}
find(selectorOrElt, selector) {
return this.#findExt(selectorOrElt, selector)
}
findAll(selectorOrElt, selector) {
return this.#findAllExt(selectorOrElt, selector)
}
parseInterval(str) {
if (typeof str === 'number') return str;
let m = {ms: 1, s: 1000, m: 60000};
let [, n, u] = str?.match(/^([\d.]+)(ms|s|m)?$/) || [];
let v = parseFloat(n) * (m[u] || 1);
return isNaN(v) ? undefined : v;
}
trigger(on, eventName, detail = {}, bubbles = true) {
on = this.#normalizeElement(on)
let evt = new CustomEvent(eventName, {
detail,
cancelable: true,
bubbles,
composed: true
});
let target = on?.isConnected ? on : document;
let result = !detail.cancelled && target.dispatchEvent(evt);
return result
}
ajax(verb, path, options) {
if (!options || options instanceof Element || typeof options === 'string') {
options = {target: options};
}
let sourceElt = typeof options.source === 'string' ?
document.querySelector(options.source) : options.source;
if (typeof options.source === 'string' && !sourceElt) {
return Promise.reject(new Error('Source not found'));
}
if (options.target) {
let target = this.#resolveTarget(document.body, options.target);
if (!target) {
return Promise.reject(new Error('Target not found'));
}
sourceElt ||= target;
}
sourceElt ||= document.body;
let ctx = this.#createRequestContext(sourceElt, options.event || {});
Object.assign(ctx, options);
if (options.target) ctx.target = this.#resolveTarget(document.body, options.target);
Object.assign(ctx.request, {action: path, method: verb.toUpperCase()});
if (options.headers) Object.assign(ctx.request.headers, options.headers);
return this.#handleTriggerEvent(ctx);
}
#pushUrlIntoHistory(path) {
if (!this.config.history) return;
if (!history.state) history.replaceState({htmx: true}, '', location.href);
history.pushState({htmx: true}, '', path);
this.#trigger(document, "htmx:after:history:push", {path});
}
#replaceUrlInHistory(path) {
if (!this.config.history) return;
history.replaceState({htmx: true}, '', path);
this.#trigger(document, "htmx:after:history:replace", {path});
}
async #restoreHistory(state, path) {
await this.timeout(1);
state ??= history.state;
if (!state?.htmx) return;
this.#historyAbort?.abort();
path = path || location.pathname + location.search;
let historyElt = document.querySelector(this.#prefixSelector('[hx-history-elt]')) || document.body;
if (this.#trigger(document, "htmx:before:history:restore", {path, cacheMiss: true})) {
if (this.config.history === "reload") {
this._loc.reload();
} else {
this.#historyAbort = new AbortController();
return this.ajax('GET', path, {
target: historyElt,
swap: 'outerSync',
select: historyElt !== document.body ? this.#prefixSelector('[hx-history-elt]') : undefined,
request: {
headers: {'HX-History-Restore-Request': 'true'},
signal: this.#historyAbort.signal
}
});
}
}
}
#resolveHistoryAction(ctx) {
let {sourceElement, push, replace, hx, response} = ctx;
if (hx?.pushurl || hx?.replaceurl) { // HX-Push-Url, HX-Replace-Url
push = hx.pushurl;
replace = hx.replaceurl;
}
if (push == null && replace == null && this.#isBoosted(sourceElement)) {
push = 'true';
}
if (push === 'false' || push === false) push = null;
if (replace === 'false' || replace === false) replace = null;
if (!push && !replace) return null;
let path = push || replace;
if (path === 'true') {
let finalUrl = response?.raw?.url || ctx.request.action;
let url = new URL(finalUrl, location.href);
path = url.pathname + url.search + (ctx.request.anchor ? '#' + ctx.request.anchor : '');
}
let type = push ? 'push' : 'replace';
return {type, path};
}
#handleHistoryUpdate(ctx) {
if (!this.config.history) return;
let action = this.#resolveHistoryAction(ctx);
if (!action) return;
let historyDetail = {
history: action,
sourceElement: ctx.sourceElement,
response: ctx.response
};
if (!this.#trigger(document, "htmx:before:history:update", historyDetail)) return;
if (action.type === 'push') {
this.#pushUrlIntoHistory(action.path);
} else {
this.#replaceUrlInHistory(action.path);
}
this.#trigger(document, "htmx:after:history:update", historyDetail);
}
#showIndicators(elt) {
let hxIndicator = this.#attributeValue(elt, "hx-indicator");
let indicatorElements;
if (!hxIndicator) {
if (elt === document.body) return [];
indicatorElements = [elt]
} else {
indicatorElements = this.#findAllExt(elt, hxIndicator, "hx-indicator");
}
for (const indicator of indicatorElements) {
let s = this.#htmxState(indicator);
s.rc = (s.rc || 0) + 1;
this.#addClass(indicator, this.config.requestClass)
}
return indicatorElements
}
#hideIndicators(indicatorElements) {
for (let indicator of indicatorElements) {
let s = this.#htmxState(indicator);
if (s.rc && --s.rc <= 0) {
this.#removeClass(indicator, this.config.requestClass);
delete s.rc;
}
}
}
#disableElements(elt) {
let hxDisable = this.#attributeValue(elt, "hx-disable");
let disabledElements = []
if (hxDisable) {
disabledElements = this.#findAllExt(elt, hxDisable, "hx-disable");
for (let indicator of disabledElements) {
let s = this.#htmxState(indicator);
s.dc = (s.dc || 0) + 1;
indicator.disabled = true
}
}
return disabledElements
}
#enableElements(disabledElements) {
for (const indicator of disabledElements) {
let s = this.#htmxState(indicator);
if (s.dc && --s.dc <= 0) {
indicator.disabled = false
delete s.dc;
}
}
}
#collectFormData(elt, form, submitter, validate, isGet) {
if (validate && form && !form.reportValidity()) return
let formData = form ? new FormData(form) : new FormData()
let included = form ? new Set(form.elements) : new Set()
if (!form) {
if (validate && elt.reportValidity && !elt.reportValidity()) return
this.#addInputValues(elt, included, formData, isGet);
}
if (submitter && submitter.name) {
formData.append(submitter.name, submitter.value)
included.add(submitter);
}
let hxInclude = this.#attributeValue(elt, "hx-include");
if (hxInclude) {
for (let node of this.#findAllExt(elt, hxInclude)) {
if (validate && node.reportValidity && !node.reportValidity()) return
this.#addInputValues(node, included, formData);
}
}
return formData
}
#addInputValues(elt, included, formData, isGet) {
let tag = elt.tagName;
let inputs = [];
if (tag === 'BUTTON' || tag.includes('-')) {
inputs = [elt]; // send own value only, never collect children
} else if (['INPUT', 'SELECT', 'TEXTAREA', 'FIELDSET'].includes(tag) || !isGet) {
inputs = this.#queryEltAndDescendants(elt, '[name]:not(button)');
}
for (let input of inputs) {
let name = input.name || input.getAttribute?.('name');
if (!name || input.matches(':disabled') || included.has(input)) continue;
included.add(input);
let type = input.type;
if (type === 'checkbox' || type === 'radio' || (input.tagName !== 'INPUT' && 'checked' in input)) {
if (input.checked) {
formData.append(name, input.value);
}
} else if (type === 'file') {
for (let file of input.files) {
formData.append(name, file);
}
} else if (type === 'select-multiple') {
for (let option of input.selectedOptions) {
formData.append(name, option.value);
}
} else if (Array.isArray(input.value)) {
for (let v of input.value) {
formData.append(name, v);
}
} else {
formData.append(name, input.value);
}
}
}
#getAttributeObject(elt, attrName, callback, scope = {}) {
let hxAttr = this.#attributeValue(elt, attrName);
if (!hxAttr) return null;
callback(HCON.parse(hxAttr));
}
#stringHyperscriptStyleSelector(selector) {
let s = selector.trim();
return s.startsWith('<') && s.endsWith('/>') ? s.slice(1, -2) : s;
}
#findAllExt(eltOrSelector, maybeSelector, thisAttr, global) {
let selector = maybeSelector ?? eltOrSelector;
let elt = maybeSelector ? (this.#normalizeElement(eltOrSelector) || document.body) : document;
if (selector.startsWith('global ')) {
return this.#findAllExt(elt, selector.slice(7), thisAttr, true);
}
let parts = selector ? HCON.split(selector) : [];
let result = []
let unprocessedParts = []
for (const part of parts) {
let selector = this.#stringHyperscriptStyleSelector(part)
let item
if (selector.startsWith('closest ')) {
item = elt.closest(selector.slice(8))
} else if (selector.startsWith('find ')) {
item = elt.querySelector(selector.slice(5))
} else if (selector.startsWith('findAll ')) {
result.push(...elt.querySelectorAll(selector.slice(8)))
} else if (selector === 'next' || selector === 'nextElementSibling') {
item = elt.nextElementSibling
} else if (selector.startsWith('next ')) {
item = this.#scanForwardQuery(elt, selector.slice(5), !!global)
} else if (selector === 'previous' || selector === 'previousElementSibling') {
item = elt.previousElementSibling
} else if (selector.startsWith('previous ')) {
item = this.#scanBackwardsQuery(elt, selector.slice(9), !!global)
} else if (selector === 'document') {
item = document
} else if (selector === 'window') {
item = window
} else if (selector === 'body') {
item = document.body
} else if (selector === 'host') {
item = (elt.getRootNode()).host
} else if (selector === 'this') {
if (thisAttr) {
result.push(...this.#findThisElements(elt, thisAttr));
continue;
}
item = elt
} else {
unprocessedParts.push(selector)
}
if (item) {
result.push(item)
}
}
if (unprocessedParts.length > 0) {
let standardSelector = unprocessedParts.join(',')
let rootNode = this.#getRootNode(elt, !!global)
result.push(...rootNode.querySelectorAll(standardSelector))
}
return [...new Set(result)]
}
#scanForwardQuery(start, match, global) {
return this.#scanUntilComparison(this.#getRootNode(start, global).querySelectorAll(match), start, Node.DOCUMENT_POSITION_PRECEDING);
}
#scanBackwardsQuery(start, match, global) {
let results = [...this.#getRootNode(start, global).querySelectorAll(match)].reverse()
return this.#scanUntilComparison(results, start, Node.DOCUMENT_POSITION_FOLLOWING);
}
#scanUntilComparison(results, start, comparison) {
for (const elt of results) {
if (elt.compareDocumentPosition(start) === comparison) {
return elt
}
}
}
#getRootNode(elt, global) {
if (elt.isConnected && elt.getRootNode) {
return elt.getRootNode?.({composed: global})
} else {
return document
}
}
#findOrWarn(elt, selector, thisAttr) {
let result = this.#findAllExt(elt, selector, thisAttr)[0]
if (!result) {
console.warn(`htmx: '${selector}' on ${thisAttr} did not match any element`,
{ elt, selector, attr: thisAttr });
}
return result
}
#findExt(eltOrSelector, selector, thisAttr) {
return this.#findAllExt(eltOrSelector, selector, thisAttr)[0]
}
#initializeAbortListener(elt) {
let htmxProp = this.#htmxProp(elt);
if (htmxProp.abortInitialized) return;
htmxProp.abortInitialized = true;
let handler = () => {
let requestQueue = this.#getRequestQueue(elt);
requestQueue.abort();
};
elt.addEventListener("htmx:abort", handler);
htmxProp.listeners.push({fromElt: elt, eventName: "htmx:abort", handler});
}
#morph(oldNode, fragment, innerHTML) {
let {persistentIds, idMap} = this.#createIdMaps(oldNode, fragment);
let pantry = document.createElement("div");
pantry.hidden = true;
document.body.after( pantry);
let ctx = {target: oldNode, idMap, persistentIds, pantry, futureMatches: new WeakSet()};
if (innerHTML) {
this.#morphChildren(ctx, oldNode, fragment);
} else {
this.#morphChildren(ctx, oldNode.parentNode, fragment, oldNode, oldNode.nextSibling);
}
this.#cleanup(pantry)
pantry.remove();
}
#morphChildren(ctx, oldParent, newParent, insertionPoint = null, endPoint = null) {
if (oldParent instanceof HTMLTemplateElement && newParent instanceof HTMLTemplateElement) {
oldParent = oldParent.content;
newParent = newParent.content;
}
insertionPoint ||= oldParent.firstChild;
let newChild = newParent.firstChild;
while (newChild) {
let matchedNode;
if (insertionPoint && insertionPoint != endPoint) {
matchedNode = this.#findBestMatch(ctx, newChild, insertionPoint, endPoint);
if (matchedNode) {
if (matchedNode !== insertionPoint) {
let cursor = insertionPoint;
while (cursor && cursor !== matchedNode) {
let tempNode = cursor;
cursor = cursor.nextSibling;
if (tempNode instanceof Element && (ctx.idMap.has(tempNode) || this.#matchesUpcomingSibling(ctx, tempNode, newChild))) {
this.#moveBefore(oldParent, tempNode, endPoint);
} else {
this.#removeNode(ctx, tempNode);
}
}
}
}
}
if (!matchedNode && newChild instanceof Element && ctx.persistentIds.has(newChild.id)) {
let escapedId = CSS.escape(newChild.id);
matchedNode = (ctx.target.id === newChild.id && ctx.target) ||
ctx.target.querySelector(`[id="${escapedId}"]`) ||
ctx.pantry.querySelector(`[id="${escapedId}"]`);
let element = matchedNode;
while ((element = element.parentNode)) {
let idSet = ctx.idMap.get(element);
if (idSet) {
idSet.delete(matchedNode.id);
if (!idSet.size) ctx.idMap.delete(element);
}
}
this.#moveBefore(oldParent, matchedNode, insertionPoint);
}
if (matchedNode) {
this.#morphNode(matchedNode, newChild, ctx);
insertionPoint = matchedNode.nextSibling;
newChild = newChild.nextSibling;
continue;
}
let nextNewChild = newChild.nextSibling;
if (ctx.idMap.has(newChild)) {
let placeholder = document.createElement(newChild.tagName);
oldParent.insertBefore(placeholder, insertionPoint);
this.#morphNode(placeholder, newChild, ctx);
this.process(placeholder);
insertionPoint = placeholder.nextSibling;
} else {
oldParent.insertBefore(newChild, insertionPoint);
insertionPoint = newChild.nextSibling;
}
newChild = nextNewChild;
}
while (insertionPoint && insertionPoint != endPoint) {
let tempNode = insertionPoint;
insertionPoint = insertionPoint.nextSibling;
this.#removeNode(ctx, tempNode);
}
}
#matchesUpcomingSibling(ctx, oldElt, startNode) {
if (ctx.futureMatches.has(oldElt)) return true;
for (let sibling = startNode.nextSibling, i = 0; sibling && i < this.config.morphScanLimit; sibling = sibling.nextSibling, i++) {
if (sibling instanceof Element && oldElt.isEqualNode(sibling)) {
ctx.futureMatches.add(oldElt);
return true;
}
}
return false;
}
#findBestMatch(ctx, node, startPoint, endPoint) {
if (node.nodeType === 3) return startPoint?.nodeType === 3 ? startPoint : null;
if (!(node instanceof Element)) return null;
let softMatch = null, displaceMatchCount = 0, scanLimit = this.config.morphScanLimit;
let newSet = ctx.idMap.get(node), nodeMatchCount = newSet?.size || 0;
if (node.id && !newSet) return null;
let cursor = startPoint;
while (cursor && cursor != endPoint) {
let oldSet = ctx.idMap.get(cursor);
if (this.#internalAPI.isSoftMatch(cursor, node)) {
if (oldSet && newSet && [...oldSet].some(id => newSet.has(id))) return cursor;
if (!oldSet) {
if (scanLimit > 0 && cursor.isEqualNode(node)) return cursor;
if (!softMatch) softMatch = cursor;
}
}
displaceMatchCount += oldSet?.size || 0;
if (displaceMatchCount > nodeMatchCount) break;
if (document.activeElement?.selectionStart != null && cursor.contains(document.activeElement)) break;
if (--scanLimit < 1 && nodeMatchCount === 0) break;
cursor = cursor.nextSibling;
}
if (softMatch && this.#matchesUpcomingSibling(ctx, softMatch, node)) return null;
return softMatch;
}
#isSoftMatch(oldNode, newNode) {
if (!(oldNode instanceof Element) || oldNode.tagName !== newNode.tagName) {
return false;
}
if (oldNode.tagName === 'SCRIPT' && !oldNode.isEqualNode(newNode)) return false;
return !oldNode.id || oldNode.id === newNode.id;
}
#removeNode(ctx, node) {
if (ctx.idMap.has(node)) {
this.#moveBefore(ctx.pantry, node, null);
} else {
this.#cleanup(node)
node.remove();
}
}
#moveBefore(parentNode, element, after) {
if (parentNode.moveBefore) {
try {
parentNode.moveBefore(element, after);
return
} catch (e) {
}
}
parentNode.insertBefore(element, after);
}
#morphNode(oldNode, newNode, ctx) {
if (oldNode.nodeType === 3) { // text node
if (oldNode.nodeValue !== newNode.nodeValue) oldNode.nodeValue = newNode.nodeValue;
return;
}
if (this.config.morphSkip && oldNode.matches?.(this.config.morphSkip)) return;
if (!this.#triggerExtensions(oldNode, "htmx:before:morph:node", {oldNode, newNode})) return;
this.#copyAttributes(oldNode, newNode);
if (oldNode instanceof HTMLTextAreaElement && document.activeElement !== oldNode && oldNode.defaultValue != newNode.defaultValue) {
oldNode.value = newNode.value;
}
let skipChildren = this.config.morphSkipChildren && oldNode.matches?.(this.config.morphSkipChildren);
if (!skipChildren && (!oldNode.isEqualNode(newNode) || newNode.tagName === 'TEMPLATE' || newNode.querySelector?.('template'))) {
this.#morphChildren(ctx, oldNode, newNode);
}
}
#copyAttributes(destination, source) {
let attributesToIgnore = this.config.morphIgnore || [];
let needsReinit = false;
let isHxAttr = name => this.#prefixes('hx-').some(p => name.startsWith(p));
for (const attr of source.attributes) {
if (!attributesToIgnore.some(p => attr.name.startsWith(p)) && destination.getAttribute(attr.name) !== attr.value) {
if (isHxAttr(attr.name)) needsReinit = true;
if (!this.#triggerExtensions(destination, 'htmx:before:morph:attr', { attrName: attr.name, newValue: attr.value })) continue;
destination.setAttribute(attr.name, attr.value);
if (attr.name === "value" && destination instanceof HTMLInputElement && destination.type !== "file" && document.activeElement !== destination) {
destination.value = attr.value;
}
}
}
for (let i = destination.attributes.length - 1; i >= 0; i--) {
let attr = destination.attributes[i];
if (attr && !source.hasAttribute(attr.name) && !attributesToIgnore.some(p => attr.name.startsWith(p))) {
if (isHxAttr(attr.name)) needsReinit = true;
if (!this.#triggerExtensions(destination, 'htmx:before:morph:attr', { attrName: attr.name, newValue: null })) continue;
destination.removeAttribute(attr.name);
}
}
if (needsReinit) this.#cleanup(destination, true);
}
#populateIdMapWithTree(idMap, persistentIds, root, elements) {
for (const elt of elements) {
if (persistentIds.has(elt.id)) {
let current = elt;
while (current && current !== root) {
let idSet = idMap.get(current);
if (idSet == null) {
idSet = new Set();
idMap.set(current, idSet);
}
idSet.add(elt.id);
current = current.parentElement;
}
}
}
}
#createIdMaps(oldNode, newContent) {
let oldIdElements = this.#queryEltAndDescendants(oldNode, "[id]");
let newIdElements = newContent.querySelectorAll("[id]");
let persistentIds = this.#createPersistentIds(oldIdElements, newIdElements);
let idMap = new Map();
this.#populateIdMapWithTree(idMap, persistentIds, oldNode.parentElement, oldIdElements);
this.#populateIdMapWithTree(idMap, persistentIds, newContent, newIdElements);
return {persistentIds, idMap};
}
#createPersistentIds(oldIdElements, newIdElements) {
let duplicateIds = new Set(), oldIdTagNameMap = new Map();
for (const {id, tagName} of oldIdElements) {
if (oldIdTagNameMap.has(id)) duplicateIds.add(id);
else if (id) oldIdTagNameMap.set(id, tagName);
}
let persistentIds = new Set();
for (const {id, tagName} of newIdElements) {
if (persistentIds.has(id)) duplicateIds.add(id);
else if (oldIdTagNameMap.get(id) === tagName) persistentIds.add(id);
}
for (const id of duplicateIds) persistentIds.delete(id);
return persistentIds;
}
#handleStatusCodes(ctx) {
let status = ctx.response.raw.status;
let noSwapStrings = this.config.noSwap.map(x => x + "");
let str = status + ""
for (let pattern of [str, str.slice(0, 2) + 'x', str[0] + 'xx']) {
if (noSwapStrings.includes(pattern)) {
ctx.swap = "none";
return
}
let statusValue = this.#attributeValue(ctx.sourceElement, "hx-status:" + pattern);
if (statusValue) {
HCON.merge(statusValue, ctx);
return;
}
}
}
#submitTransitionTask(task, ctx) {
return new Promise((resolve) => {
this.#transitionQueue ||= [];
this.#transitionQueue.push({ task, resolve, ctx });
if (!this.#processingTransition) {
this.#processTransitionQueue();
}
});
}
async #processTransitionQueue() {
if (this.#transitionQueue.length === 0 || this.#processingTransition) {
return;
}
this.#processingTransition = true;
let { task, resolve, ctx } = this.#transitionQueue.shift();
try {
if (document.startViewTransition) {
let detail = {task, ctx};
this.#trigger(ctx.sourceElement, "htmx:before:viewTransition", detail)
await document.startViewTransition(detail.task).finished;
this.#trigger(ctx.sourceElement, "htmx:after:viewTransition", detail)
} else {
await task();
}
} catch (e) {
} finally {
this.#processingTransition = false;
resolve();
this.#processTransitionQueue();
}
}
#startCSSTransitions(fragment, root) {
let idElements = root.querySelectorAll("[id]");
let existingElementsById = Object.fromEntries([...idElements].map(e => [e.id, e]));
let newElementsWithIds = fragment.querySelectorAll("[id]");
let restoreTasks = []
for (let elt of newElementsWithIds) {
let existing = existingElementsById[elt.id];
if (existing?.tagName === elt.tagName) {
let clone = elt.cloneNode(false); // shallow clone node
this.#copyAttributes(elt, existing)
restoreTasks.push(()=>{
this.#copyAttributes(elt, clone)
})
}
}
return restoreTasks;
}
#addClass(elt, cls) {
elt?.classList?.add?.(cls);
}
#removeClass(elt, cls) {
elt?.classList?.remove?.(cls);
if (elt?.classList?.length === 0) elt.removeAttribute('class');
}
#normalizeElement(cssOrElement) {
if (typeof cssOrElement === "string") {
return this.find(cssOrElement);
} else {
return cssOrElement
}
}
#maybeAdjustMetaCharacter(string) {
if (this.config.metaCharacter) {
return string.replace(/:/g, this.config.metaCharacter);
} else {
return string;
}
}
}
return new Htmx()
})()
;
