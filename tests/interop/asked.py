"""What a case asks of a tool: the judge's arguments, by place and wire name, as the tool's own arguments."""

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
PLACES = ("path", "query", "header", "cookie", "querystring")


def arguments(case, tool, declared):
    """The arguments of a call; `declared` are the media types the description writes for the body."""
    args = case["args"]
    names = {(each["in"], each["name"]): each["argument"] for each in tool["inputs"]}
    flat = {}
    for place in PLACES:
        for name, value in (args.get(place) or {}).items():
            flat[names.get((place, name), name)] = plain(value)
    chooser = chooser_of(tool)
    if "body" not in args:
        # The generator leaves out a form without a field; here it is an empty one.
        needs_body = any((each["in"], each["name"], each["required"]) == ("body", "", True) for each in tool["inputs"])
        if not needs_body or "expect" in case:
            return flat
        media = case.get("form")
        return flat | {"body": {}} | ({chooser["name"]: chosen(media, chooser["enum"])} if chooser and media else {})
    media = args.get("content_type")
    given = case.get("given", args["body"])
    body = of_range(given, media, declared) if media else plain(given)
    if ("body", "") in names:
        flat[names["body", ""]] = body
    elif isinstance(body, dict):
        flat.update({names.get(("body", name), name): value for name, value in body.items()})
    else:
        flat["body"] = body
    if chooser and media:
        flat[chooser["name"]] = chosen(media, chooser["enum"])
    return flat


def chooser_of(tool):
    """The argument that chooses the media type of the body: it is declared and no input."""
    inputs = {each["argument"] for each in tool["inputs"]}
    for name, schema in (tool.get("inputSchema", {}).get("properties") or {}).items():
        if name not in inputs and isinstance(schema, dict) and "enum" in schema:
            return {"name": name, "enum": schema["enum"]}
    return None


def empty_form(case, operation):
    """The media type of a form without a field, which the generator leaves out: the number of the case says which one it is,
    or it is the one that the generator prefers."""
    if "body" in case["args"] or "expect" in case or not operation.bodies:
        return None
    from gen_args import pick_media

    number, declared = case["case"].split("-")[2:3], list(operation.bodies)
    media = declared[int(number[0])] if number and number[0].isdigit() else pick_media(operation)
    return media if media.split(";")[0] in FORMS else None


def chosen(media, offered):
    """The offered media type that is meant: itself, or the range it is one of."""
    ranges = [each for each in offered if each.endswith("/*") and media.startswith(each.removesuffix("*"))]
    return media if media in offered or not ranges else ranges[0]


def of_range(value, media, declared):
    """Bytes for a body that is a range of media types say which one they are."""
    is_bytes = isinstance(value, dict) and set(value) == {"$base64"}
    return f"data:{media};base64,{value['$base64']}" if is_bytes and media not in declared else plain(value)


def plain(value):
    """A value with its bytes as base64."""
    if isinstance(value, dict):
        return value["$base64"] if set(value) == {"$base64"} else {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value
