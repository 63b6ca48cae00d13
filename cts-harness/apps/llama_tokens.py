"""Runs a small llama model of random weights on the device and on the host; logits and greedy tokens must agree.

All layers are on the device. The attention's cache is on the host, and with it the products with queries and the
softmax: their kernels are right only where sub-groups have 32 work-items or more, but do not require it.
"""

import gguf
import numpy
from llama_cpp import Llama, llama_cpp

LAYERS, WIDTH, HEADS, HIDDEN, VOCABULARY = 2, 256, 4, 512, 320
TYPES = {
    "f16": gguf.GGMLQuantizationType.F16,
    "q8_0": gguf.GGMLQuantizationType.Q8_0,
    "q4_0": gguf.GGMLQuantizationType.Q4_0,
}
PROMPT = [1] + [7 * i % 311 + 5 for i in range(40)]
ASKED = 12


def write(path, kind):
    """A model whose matrices have one type; the same numbers in each run."""
    drawn = numpy.random.default_rng(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(256)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(VOCABULARY)
    writer.add_tokenizer_model("llama")
    named = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    named += [f"word{i}" for i in range(VOCABULARY - len(named))]
    writer.add_token_list(named)
    writer.add_token_scores([-float(i) for i in range(VOCABULARY)])
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * (VOCABULARY - 259))

    def matrix(name, rows, columns, scale=1.0):
        data = drawn.standard_normal((rows, columns)).astype(numpy.float32) * scale / columns**0.5
        writer.add_tensor(name, gguf.quants.quantize(data, TYPES[kind]), raw_dtype=TYPES[kind])

    def ones(name):
        data = 1 + 0.1 * drawn.standard_normal(WIDTH)
        writer.add_tensor(name, data.astype(numpy.float32))

    matrix("token_embd.weight", VOCABULARY, WIDTH, 16)
    for layer in range(LAYERS):
        ones(f"blk.{layer}.attn_norm.weight")
        for part in ("q", "k", "v", "output"):
            matrix(f"blk.{layer}.attn_{part}.weight", WIDTH, WIDTH)
        ones(f"blk.{layer}.ffn_norm.weight")
        matrix(f"blk.{layer}.ffn_gate.weight", HIDDEN, WIDTH)
        matrix(f"blk.{layer}.ffn_up.weight", HIDDEN, WIDTH)
        matrix(f"blk.{layer}.ffn_down.weight", WIDTH, HIDDEN)
    ones("output_norm.weight")
    matrix("output.weight", VOCABULARY, WIDTH, 4)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def run(path, device):
    """The logits of the prompt's tokens and of those that follow greedily, and these tokens."""
    model = Llama(
        path,
        n_gpu_layers=99 if device else 0,
        offload_kqv=False,
        op_offload=False,
        n_ctx=128,
        n_batch=64,
        n_threads=1,
        n_threads_batch=1,
        logits_all=True,
        verbose=device,
    )
    model.eval(PROMPT)
    tokens = []
    for _ in range(ASKED):
        tokens.append(int(numpy.argmax(model.scores[model.n_tokens - 1])))
        model.eval(tokens[-1:])
    return numpy.array(model.scores[: model.n_tokens]), tokens


assert llama_cpp.llama_supports_gpu_offload()
wrong = 0
for kind in TYPES:
    path = f"model-{kind}.gguf"
    write(path, kind)
    logits, tokens = run(path, True)
    host, expected = run(path, False)
    off = abs(logits - host).max() / abs(host).max()
    # With quantized matrices the host rounds what it multiplies them with to eight bits too.
    good = bool(off < (2e-3 if kind == "f16" else 3e-2)) and tokens == expected
    wrong += not good
    print(f"{'ok' if good else 'WRONG'} {kind}: logits {off:.1e}, tokens {tokens}, {expected}", flush=True)
print(f"{len(TYPES) - wrong} of {len(TYPES)} models agree")
