"""Archives whose bytes depend on nothing but their files and a time."""

import gzip
import io
import pathlib
import tarfile


class Owned:
    """An empty folder in an archive that belongs to a user."""

    def __init__(self, user):
        self.user = user


def tar(files, seconds, folders=False):
    """An archive of paths with their bytes and modes; with `folders` those in which they lie, too, each before what is in it."""
    names = {str(folder) for path in files for folder in pathlib.PurePath(path).parents if folders} - {"."}
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        for path in sorted({*files, *names}):
            opened.addfile(*entry(path, files.get(path), seconds))
    return archive.getvalue()


def entry(path, file, seconds):
    made = tarfile.TarInfo(path)
    made.mtime, made.uname, made.gname = seconds, "root", "root"
    data, made.mode = file or (b"", 0o755)
    if file is None or isinstance(data, Owned):
        made.type = tarfile.DIRTYPE
        if file and data.user:
            made.uid, made.gid, made.uname, made.gname = data.user, data.user, "", ""
        return made, None
    made.size = len(data)
    return made, io.BytesIO(data)


def compress(data, level=6):
    return gzip.compress(data, level, mtime=0)
