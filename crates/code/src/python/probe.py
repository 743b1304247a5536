# Tries the walls from within, for the command that asks which of them stand. The names in capitals come before this text.
import json, os, resource, socket, sys


def is_refused(action):
    try:
        action()
    except OSError:
        return True
    return False


def import_failure(name):
    try:
        __import__(name)
        return ""
    except BaseException as raised:
        return f"{type(raised).__name__}: {raised}"


def fork():
    if os.fork() == 0:
        os._exit(0)


def may_gain_rights():
    import ctypes
    no_new_privileges = 39
    return ctypes.CDLL(None).prctl(no_new_privileges, 0, 0, 0, 0) != 1


def has_limit(name, pair):
    return 0 <= resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1] <= pair[1]


def sees_nothing(*paths):
    return not any(os.path.exists(path) for path in paths)


json.dumps({
    "version": sys.version.split()[0],
    "packages": {name: import_failure(name) for name in PACKAGES},
    "walls": {
        "environment": {"HOME", "PATH"} <= set(os.environ) <= {*ENVIRONMENT, "LC_CTYPE", "PWD"},
        "files": sees_nothing("/proc/1", "/etc/passwd", "/home", "/root", "/sys", "/var")
        and all(is_refused(lambda: open(path, "w")) for path in ("/probe", "/usr/probe", "/dev/probe")),
        "limits": all(has_limit(name, pair) for name, pair in LIMITS.items()),
        "network": is_refused(socket.socket),
        "processes": SEVERAL or is_refused(fork),
        "system calls": is_refused(lambda: os.memfd_create("probe")) and is_refused(lambda: os.mkfifo("probe")),
        "user": os.getuid() == os.getgid() == 65534 and is_refused(lambda: os.chown(".", 0, 0)) and not may_gain_rights(),
    },
})
