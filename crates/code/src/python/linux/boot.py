# Runs in the sandbox before the program and after it. Until `ready` nothing foreign runs here; from then on the program may change
# all of it, so that the other side takes every byte as the program's.
import _socket, ast, builtins, json, linecache, opcode, os, resource, stat, sys, types

CHANNEL, FOLDER, NAME = 3, "/tmp", "program.py"


def send(data):
    view = memoryview(data)
    while view:
        view = view[os.write(CHANNEL, view):]


def say_ready():
    """Together with the folder of memory, whose files the other side counts while the program runs."""
    folder = os.open(FOLDER, os.O_PATH)
    channel = _socket.socket(fileno=CHANNEL)
    number = folder.to_bytes(4, sys.byteorder)
    channel.sendmsg([b"ready\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, number)])
    channel.detach()
    os.close(folder)


def fingerprint(info):
    return info.st_ino, info.st_size, info.st_mtime_ns


def open_request():
    """Reads the request, writes the program's files, and sets the limits for good."""
    os.closerange(CHANNEL + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 1 << 20))
    os.set_inheritable(CHANNEL, False)
    os.umask(0o077)
    source = open(CHANNEL, "rb", closefd=False)
    request = json.loads(source.readline())
    inputs = {}
    for file in request["files"]:
        content = source.read(file["size"])
        with open(file["name"], "xb") as target:
            target.write(content)
        inputs[file["name"]] = fingerprint(os.lstat(file["name"]))
    for name, pair in request["limits"].items():
        limit = getattr(resource, "RLIMIT_" + name)
        # A machine may give less than that, and never more again.
        most = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, pair if most == resource.RLIM_INFINITY else [min(value, most) for value in pair])
    return request, inputs


def import_guard(packages):
    """Answers `import` in the program's text alone. What libraries import, or a program in other ways, harms nobody."""
    plain, statement = builtins.__import__, opcode.opmap["IMPORT_NAME"]
    offered = {"__main__", *sys.stdlib_module_names, *(name.split(".")[0] for name in packages)}

    def guarded(name, globals=None, locals=None, fromlist=(), level=0):
        top, code, at = name.split(".")[0], sys._getframe(1).f_code, sys._getframe(1).f_lasti
        if top not in offered and code.co_filename == NAME and code.co_code[at] == statement and level == 0:
            if not any(os.path.exists(f"{FOLDER}/{top}{end}") for end in ("", ".py")):
                choice = ", ".join(packages) or "the standard library alone"
                raise ModuleNotFoundError(f"no module named {top!r} here; there is: {choice}", name=top)
        return plain(name, globals, locals, fromlist, level)

    builtins.__import__ = guarded


def evaluate(code):
    """Runs the program. The value of its last expression is what a notebook shows."""
    linecache.cache[NAME] = len(code), None, code.splitlines(True), NAME
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    tree = ast.parse(code, NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NAME, "exec"), module.__dict__)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), NAME, "eval"), module.__dict__)
    return "" if value is None else str(value) if isinstance(value, str) else repr(value)


def traceback_text(error):
    """The traceback without frames of this file, and without folders of the machine."""
    import traceback
    whole = traceback.TracebackException.from_exception(error, limit=-100)
    bases = sorted((base for base in {*sys.path, FOLDER} if base), key=len, reverse=True)

    def short(path):
        base = next((base for base in bases if path.startswith(base + "/")), None)
        return path[len(base) + 1:] if base else os.path.basename(path)

    parts = [whole]
    for part in parts:
        part.stack[:] = [frame for frame in part.stack if frame.filename != "<sandbox>"]
        for frame in part.stack:
            frame.filename = short(frame.filename)
        more = (part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ()))
        parts.extend(each for each in more if each is not None and each not in parts)
    return "".join(whole.format()).strip()


def run_program(request):
    """The result and the error, one of them empty."""
    sys.argv = [NAME]
    sys.path.append(FOLDER)
    sys.stdout.reconfigure(line_buffering=True)
    import_guard(request["packages"])
    result = error = ""
    try:
        result = evaluate(request["code"])
    except SystemExit as end:
        error = "" if end.code in (None, 0) else f"SystemExit: {end.code}"
    except BaseException as raised:
        # The memory that is left for this.
        resource.setrlimit(resource.RLIMIT_AS, [request["limits"]["AS"][1]] * 2)
        error = traceback_text(raised)
    return result, error


def save_figures(left_out):
    """Figures that are open when a program ends that wrote no image, as notebooks show them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or any(name.endswith((".png", ".svg", ".pdf", ".jpg", ".jpeg")) for name in os.listdir(FOLDER)):
        return
    for number in pyplot.get_fignums():
        try:
            pyplot.figure(number).savefig(f"{FOLDER}/figure-{number}.png")
        except Exception as raised:
            left_out.append((f"figure-{number}.png", str(raised)))


def refusal(name, info, n_files, room):
    """The reason to leave a file out, if there is one."""
    if not stat.S_ISREG(info.st_mode):
        return "a folder, a link or a special file: only files in the work folder itself are taken"
    if any(c == "\\" or c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for c in name):
        return "a name with characters that are not plain"
    if n_files == 0:
        return "more files than are taken"
    if info.st_size > room:
        return f"{info.st_size} bytes, and {room} are left for files"
    return None


def take_files(request, inputs, left_out):
    """The names and contents of what is new in the work folder."""
    files, room = [], request["files_out"]
    for name in sorted(os.listdir(FOLDER)):
        try:
            path = f"{FOLDER}/{name}"
            info = os.lstat(path)
            if name.startswith(".") or inputs.get(name) == fingerprint(info):
                continue
            reason = refusal(name, info, request["most_files"] - len(files), room)
            if reason is None:
                with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as source:
                    files.append((name, source.read(info.st_size)))
                room -= len(files[-1][1])
        except OSError as raised:
            # A thread that the program left may change files even now.
            reason = str(raised.strerror)
        if reason is not None:
            left_out.append((name, reason))
    return files


def cut(text, most):
    data = text.encode("utf-8", "replace")
    return data.decode() if len(data) <= most else data[:most].decode("utf-8", "ignore")


def cut_front(text, most):
    data = text.encode("utf-8", "replace")
    return data.decode() if len(data) <= most else data[-most:].decode("utf-8", "ignore")


def answer(request, inputs, result, error):
    left_out, most = [], request["output"]
    save_figures(left_out)
    files = take_files(request, inputs, left_out)
    short = cut(result, most), cut_front(error, most)
    line = {
        "result": short[0],
        "error": short[1],
        "is_cut": len(short[0]) < len(result) or len(short[1]) < len(error) or len(left_out) > request["most_files"],
        "files": [{"name": name, "size": len(content)} for name, content in files],
        "left_out": [
            {"name": cut(name, 255), "reason": cut(reason, 255)} for name, reason in left_out[:request["most_files"]]
        ],
    }
    send(json.dumps(line).encode() + b"\n")
    for _, content in files:
        send(content)


def main():
    request, inputs = open_request()
    say_ready()
    result, error = run_program(request)
    # More than before only where the program has filled its memory.
    resource.setrlimit(resource.RLIMIT_AS, [request["limits"]["AS"][1]] * 2)
    for stream in sys.stdout, sys.stderr:
        try:
            stream.flush()
        except Exception:
            pass
    answer(request, inputs, result, error)
    # Threads that the program left end here, and nothing of it runs any more.
    os._exit(0)


main()
