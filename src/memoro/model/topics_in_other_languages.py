"""Words of French, Spanish, Portuguese, Italian, Dutch, Polish and Chinese for topics, as `software_topics` has them.

Chinese is written without spaces: its words are found wherever they stand.
"""

OTHER_LANGUAGES = """
code:
    fonction*, classe*, función, funciones, clase*, função, funções, funzione, funzioni, functie*, klasse,
    klassen, funkcj*, código, codice, kod, implémente*, implementa*, 代码, 函数, 类型, 模块, 重构, 实现, 功能
prose:
    paragraphe*, chapitre*, rédige*, rédaction, párrafo*, capítulo*, frase*, texto*, redacta*, parágrafo*,
    redija*, redigir, paragrafo, capitolo, testo, testi, scrivi, alinea, hoofdstuk*, zin, zinnen, rozdział*,
    zdani*, akapit*, 段落, 章节, 文章, 句子, 文字, 文案, 写作, 摘要, tekst, teksten, texte, textes
message:
    courriel*, lettre*, réponse, réponds, correo*, carta*, mensaje*, responde*, respuesta, e-mail*,
    mensagens, resposta*, lettera, lettere, messaggio, rispondi, antwoord*, uitnodiging*, wiadomoś*,
    odpowied*, 邮件, 回复, 消息, 通知, 信件, 邀请, brieven
ui:
    écran*, bouton*, pantalla*, botón, botones, página*, botão, botões, pagina*, schermo, schermata,
    scherm*, knop*, przycisk*, ekran*, strona, 页面, 界面, 组件, 按钮, 弹窗, 布局
infra:
    serveur*, servidor*, serwer*, 服务器, 集群, 节点, 部署环境
data:
    données, datos, dados, dati, gegevens, dane, danych, jeu de données, conjunto de datos, 数据, 数据集, 表格
script:
    guion de shell, skrypt*, 脚本
database:
    base de données, requête*, base de datos, consulta*, tabla*, banco de dados, tabela*, database, query,
    tabella*, tabel*, zapytani*, 数据库, 查询, 索引, 表结构, bazy danych
migration:
    migración, migraciones, migração, migrações, migrazion*, migratie*, migracj*, colonne*, columna*,
    coluna*, colonna, kolom*, kolumn*, 迁移, 字段
api:
    endpoint*, ruta, rotas, 接口, 请求, 路由
error:
    erreur*, panne*, error, errores, excepción, falla*, erro, erros, exceç*, falha*, errore, errori, fout*,
    błąd, błęd*, wyjąt*, 错误, 异常, 报错, 失败, 重试, 容错
test:
    essai*, prueba*, teste*, toets*, 测试, 单元测试, 用例
logging:
    journal*, registro*, 日志, 打印
deploy:
    déploi*, mise en production, desplieg*, despliegue*, publicar, rilascio*, uitrol*, wdroż*, 部署, 上线, 发布
config:
    configuración, configuraç*, configurazion*, instelling*, konfiguracj*, réglage*, ajustes, 配置, 设置
dependency:
    dépendance*, paquet*, dependencia*, paquete*, dependência*, pacote*, dipendenz*, pacchett*,
    afhankelijkhe*, pakket*, zależnoś*, pakiet*, biblioteca*, bibliothèque*, 依赖, 第三方库
commit:
    提交, 提交信息
review:
    revue de code, demande de fusion, revisión de código, revisão de código, 合并请求, 代码评审, 代码审查
branch:
    gałą*, 分支, branches git
docs:
    documentación, documentação, documentazion*, documentatie*, dokumentacj*, commentaire*, comentario*,
    comentário*, 文档, 注释, 说明
naming:
    nommage, nazw*, 命名, 变量名, 名称, nombres de variables, noms de variables, nomes de variáveis
performance:
    rendimiento, caché, desempenho, prestazion*, snelheid, wydajnoś*, 缓存, 性能
colour:
    couleur*, colores, cor, cores, colore, colori, kleur*, kolor*, 颜色, 样式, 配色, 字体
form:
    formulaire*, formulario*, formulário*, formulier*, formularz*, 表单, 输入框
ui text:
    libellé*, texto del botón, etiqueta*, rótulo*, 文案, 提示语
security:
    connexion, mot de passe, contraseña*, senha*, accesso, wachtwoord*, hasł*, 登录, 权限, 密码
figure:
    graphique*, gráfico*, gráfica*, figura*, grafico, grafici, grafiek*, wykres*, 图表, 画图, 曲线
statistics:
    statistique*, estadística*, estatístic*, statystyk*, 统计, 显著性
model:
    modèle*, entraîne*, modelo*, entrena*, treina*, modello, addestra*, 模型, 训练
citation:
    référence*, referencia*, citaç*, referência*, citazion*, bron, bronnen, cytat*, źródł*, 引用, 参考文献, citar
translation:
    traduction*, traduis*, traduc*, traduce*, traduz*, traduzion*, traduci*, vertaal*, vertaling*, tłumacz*,
    przetłumacz*, 翻译, 译文
number:
    chiffre*, unité*, número*, cifra*, unidad*, unidade*, numero, numeri, getal*, eenhe*, liczb*, 数字, 单位, 小数
time:
    fuseau horaire, zona horaria, fuso horário, fuso orario, tijdzone*, strefa czasowa, 时区, 时间戳, 日期格式
money:
    prix, montant*, facture*, paiement*, precio*, importe*, factura*, pago*, preço*, fatura*, pagament*,
    prezz*, fattur*, prijs*, prijz*, bedrag*, factuur, facturen, betaling*, kwot*, faktur*, płatnoś*, 价格,
    金额, 发票, 付款, ceny
slides:
    diaporama*, présentation*, diapositiva*, presentaci*, apresentaç*, presentazion*, dia's, presentatie*,
    prezentacj*, 幻灯片, 演示文稿
report:
    informe*, relatório*, relazione, verslag*, 报告, 周报, 月报, rapports, raporty
appointment:
    rendez-vous, réunion*, cita, reunión, reuniones, reunião, reuniões, appuntament*, riunion*, afspraak,
    afspraken, vergadering*, spotkani*, wizyt*, 会议, 预约, 日程
travel:
    voyage*, hôtel*, viaje*, vuelo*, tren, viagem, viagens, voo*, comboio, trem, viaggio, volo, treno,
    vlucht*, trein*, podróż*, pociąg*, 旅行, 航班, 火车, 酒店, reis, reizen
food:
    recette*, dîner, déjeuner, repas, receta*, cena, comida, receita*, jantar, almoço, refeiç*, ricett*,
    pranzo, eten, koken, przepis*, obiad*, kolacj*, alergi*, végétarien*, vegetarian*, 食谱, 晚饭, 午饭, 做菜, 菜单,
    过敏, 素食
shopping:
    achète*, achat*, courses, compra*, lista de la compra, compre, acquist*, spesa, koop*, boodschappen*,
    kup, zakup*, 购物, 买, 清单
gift:
    cadeau*, regalo*, presente*, regali, prezent*, 礼物, 生日
lesson:
    leçon*, clase*, lección, aula*, lezion*, lekcj*, 教案, 课程
exam:
    examen*, prueba, prova*, esame, esami, egzamin*, sprawdzian*, 考试, 试卷
exercise:
    exercice*, ejercicio*, exercício*, esercizi*, oefening*, ćwiczeni*, 练习, 作业
contract:
    contrat*, contrato*, contratt*, umow*, 合同, contracten
"""
