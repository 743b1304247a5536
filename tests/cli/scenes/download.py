"""An answer of 200 MB that goes to a file, with its progress; one that breaks off, and one that somebody ends."""

import time

DESCRIPTION = """openapi: 3.1.0
info: {title: Films, version: "1"}
paths:
  /films/{id}:
    get:
      operationId: getFilm
      summary: The film itself
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: ok, content: {video/mp4: {schema: {type: string, format: binary}}}}}
"""
SIZE, CHUNK = 200_000_000, 1 << 20


def film(size, sent=None, slow_after=None):
    """Streams a film: of a size, of which a part is sent, slowly after some of it."""

    def answer(request):
        request.send_response(200)
        request.send_header("Content-Type", "video/mp4")
        request.send_header("Content-Length", str(size))
        request.end_headers()
        done, whole = 0, sent or size
        try:
            while done < whole:
                done += request.wfile.write(bytes(min(CHUNK, whole - done)))
                if slow_after and done > slow_after:
                    time.sleep(0.05)
        except OSError:
            pass
        request.close_connection = True

    return answer


def play(trial):
    """Downloads, is cut off, ends it; looks at what is there each time."""
    url = trial.serve({"/films/long": film(SIZE), "/films/broken": film(SIZE, CHUNK), "/films/slow": film(SIZE, slow_after=20 * CHUNK)})
    (trial.home / "films.yaml").write_text(DESCRIPTION)
    call = ("call", "films.yaml", "getFilm", "--server", url)
    shown = trial.run(*call, "id=long", "-o", "film.mp4")
    assert "MiB of 190.73 MiB [" in shown, f"no progress in {shown!r}"
    assert (trial.home / "film.mp4").stat().st_size == SIZE
    trial.run(*call, "id=broken", "-o", "broken.mp4", code=1)
    trial.run(*call, "id=slow", "-o", "slow.mp4", code=2, interrupt="MiB of 190.73 MiB [")
    trial.run(*call, "id=long", "-o", "nowhere/film.mp4", code=2)
    trial.files()
