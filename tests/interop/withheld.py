"""Which parameters are the places of credentials, told by the description alone. No argument may set them, so a case that
does is run again without them and counted as such. This is our rule, written a second time from the documentation."""

import copy

from asked import FORMS

# A token that stands in a query or form, where the description has a scheme that sends one (RFC 6750 §2.2, §2.3).
BEARER = "access_token"
# Optional ones of these names are places of credentials where they are described as one.
DESCRIBED = ("key", "oauth_token", "api_key")
WORDS = ("api key", "api-key", "apikey", "token", "credential", "oauth", "authorization", "authentication")
SIGNED = "x-amz-"


class Withheld:
    """The places of credentials of one description."""

    def __init__(self, spec):
        self.spec = spec
        holder = spec.root.get("securityDefinitions") if spec.v2 else (spec.root.get("components") or {}).get("securitySchemes")
        self.schemes = [spec.deref(scheme)[0] for scheme in (holder or {}).values()]
        self.schemes = [scheme for scheme in self.schemes if isinstance(scheme, dict)]
        self.has_bearer = any(is_bearer(scheme) for scheme in self.schemes)

    def without(self, case, tool):
        """The case without what is withheld, which the tool must not offer either. One that is to be refused for the lack of
        such a parameter is marked as not asked."""
        offered = {(each["in"], each["name"]) for each in tool["inputs"]}
        args = case["args"]
        given = [(place, name) for place in ("query", "header", "cookie") for name in args.get(place) or {}]
        given += [("body", name) for name in args.get("body") or ()] if isinstance(args.get("body"), dict) else []
        # RFC 6750 §2.2: of bodies, forms alone are read for a token.
        is_form = args.get("content_type", "").split(";")[0].strip() in FORMS
        given = [each for each in given if each[0] != "body" or is_form]
        left_out = [each for each in given if each not in offered and self.is_place(case["op"], *each)]
        missing = case["mode"].removeprefix("neg:missing-").split("-", 1) if case["mode"].startswith("neg:missing-") else []
        if len(missing) == 2 and tuple(missing) not in offered and self.is_place(case["op"], *missing):
            return case | {"not_asked": True}
        if not left_out:
            return case
        variant = copy.deepcopy(case)
        for place, name in left_out:
            holder = variant["args"][place]
            del holder[name]
            if not holder and place != "body":
                del variant["args"][place]
        return variant | {"withheld": left_out}

    def is_place(self, operation, place, name):
        if place != "body" and any(self.is_key(scheme, place, name) for scheme in self.schemes):
            return True
        if place in ("query", "body") and name == BEARER:
            return self.has_bearer
        if place in ("query", "header") and name.lower().startswith(SIGNED):
            return any("amazon" in str(scheme).lower() or "aws" in str(scheme).lower() for scheme in self.schemes)
        parameters = self.spec.op(operation).params
        found = [each for each in parameters if (each.loc, each.name) == (place, name)]
        is_described = any(word in str(each.raw.get("description", "")).lower() for each in found for word in WORDS)
        return name in DESCRIBED and is_described and not any(each.required for each in found)

    @staticmethod
    def is_key(scheme, place, name):
        named = str(scheme.get("name"))
        same = named.lower() == name.lower() if place == "header" else named == name
        return scheme.get("type") == "apiKey" and scheme.get("in") == place and same


def is_bearer(scheme):
    kind = scheme.get("type")
    return kind in ("oauth2", "openIdConnect") or kind == "http" and str(scheme.get("scheme")).lower() == "bearer"
