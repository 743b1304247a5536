"""Files that are sent: as a part of a form, and as a body."""

DESCRIPTION = """openapi: 3.1.0
info: {title: Albums, version: "1"}
paths:
  /photos:
    post:
      operationId: addPhoto
      summary: Adds a photo to an album
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [album, photo]
              properties:
                album: {type: string, description: The name of the album}
                photo: {type: string, format: binary, description: The picture}
      responses: {"201": {description: created}}
"""


def stored(request):
    """Says which parts came."""
    body = request.rfile.read(int(request.headers["Content-Length"]))
    parts = [part.split(b"\r\n\r\n", 1) for part in body.split(b"--" + request.headers["Content-Type"].split("boundary=")[1].encode())]
    sizes = ", ".join(str(len(part[1]) - 2) for part in parts if len(part) > 1)
    named = b'filename="cat.png"' in body and b"image/png" in body
    return 201, "application/json", f'{{"sizes": [{sizes}], "has_name_and_type": {str(named).lower()}}}'.encode()


def play(trial):
    """Reads what the tool takes, forgets the file, names one that is not there, sends one."""
    url = trial.serve({"/photos": stored})
    (trial.home / "albums.yaml").write_text(DESCRIPTION)
    (trial.home / "cat.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100_000))
    trial.run("tools", "albums.yaml", "addPhoto", "--server", url)
    trial.run("call", "albums.yaml", "addPhoto", "album=cats", "--server", url, code=1)
    trial.run("call", "albums.yaml", "addPhoto", "album=cats", "photo=@cat.jpg", "--server", url, code=2)
    trial.run("call", "albums.yaml", "addPhoto", "album=cats", "photo=@cat.png", "--server", url)
