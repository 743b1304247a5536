"""What cannot be shown, kept or sent as it stands: each page says so, and none goes on without a word."""

import json
import urllib.request

from pages import Watched


def losses(browser, sidecar, given, faults):
    watched = Watched(browser, faults, java_script_enabled=False)

    def said(words):
        watched.look(words in watched.page.inner_text("main"), f"no word of: {words}; {watched.page.inner_text('main')[:400]}")

    # An address whose arguments break off: they stay for a person to mend.
    page = watched.open(sidecar.console + "/tools/pets-getPet?args=%7B%22petId%22%3A7")
    said("expected an object as JSON")
    watched.look(page.input_value("[name=json]") == '{"petId":7', page.input_value("[name=json]"))
    # A case whose file has ended.
    page = watched.open(sidecar.console + "/tools/files-parts?args=" + json.dumps({"photo": {"handle": "result:" + "0" * 32}}))
    watched.press("text=Save as a fixture")
    said("is kept no more for this session")
    # An example that is nearly JSON.
    page = watched.open(sidecar.console + "/drafts")
    page.fill("[name=url]", "https://api.pets.example/pets/7")
    page.fill("[name=output]", '{"id": 7, }')
    watched.press("button.primary")
    said("The output is taken as text, because it is no JSON")
    # Rows with more columns than a table has, and cells that are cut.
    page = watched.open(sidecar.console + "/tools/hostile-broad")
    watched.press("button[value=call]")
    said("the first 20 of 25 columns")
    watched.look(page.inner_text("td >> nth=0").endswith("…"), page.inner_text("td >> nth=0")[-20:])
    # Bytes that are no text.
    request = urllib.request.Request(sidecar.origin + "/v1/results?session=s-1", bytes(range(128, 256)), {"content-type": "image/png"})
    handle = json.load(urllib.request.urlopen(request))["handle"]
    watched.open(f"{sidecar.console}/results/{handle}?session=s-1")
    said("Some of these bytes are no text")
    # A turn that no fixture can hold: nothing of it goes over HTTP.
    page = watched.open(sidecar.console + "/agents")
    page.select_option("[name=agent]", "reader")
    page.fill("#words", "Search the notes.")
    watched.press("button.primary")
    said("The turn is no fixture: `handbook-search` answered without a request over HTTP")
    watched.close()
    return "arguments, files, drafts, tables, bytes, turns"
