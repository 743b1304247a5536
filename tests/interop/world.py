"""A service for tasks of models, which knows rates, countries, the weather, offers for tracks and tickets of customers: each answer is that of a function, which
follows from its arguments alone. Answers have fields that nobody asks for, as those of real services do, and the description is made of the functions."""

import http.server
import inspect
import json
import urllib.parse
import zlib

TODAY = "2025-12-22"
RATES = "EUR 0.85 GBP 0.74 CAD 1.37 BRL 5.53 ARS 1450 AUD 1.51 CLP 911 CZK 20.7 DKK 6.36 HUF 331 INR 89.7 NOK 10.1 PLN 3.59 SEK 9.27 CHF 0.79 JPY 157 MXN 17.9 USD 1"
# Code, currency, VAT in percent, region and language.
COUNTRIES = """Argentina AR ARS 21 Americas Spanish,Australia AU AUD 10 Oceania English,Austria AT EUR 20 Europe German,Belgium BE EUR 21 Europe Dutch
Brazil BR BRL 17 Americas Portuguese,Canada CA CAD 5 Americas English,Chile CL CLP 19 Americas Spanish,Czech Republic CZ CZK 21 Europe Czech
Denmark DK DKK 25 Europe Danish,Finland FI EUR 25.5 Europe Finnish,France FR EUR 20 Europe French,Germany DE EUR 19 Europe German
Hungary HU HUF 27 Europe Hungarian,India IN INR 18 Asia Hindi,Ireland IE EUR 23 Europe English,Italy IT EUR 22 Europe Italian
Netherlands NL EUR 21 Europe Dutch,Norway NO NOK 25 Europe Norwegian,Poland PL PLN 23 Europe Polish,Portugal PT EUR 23 Europe Portuguese
Spain ES EUR 21 Europe Spanish,Sweden SE SEK 25 Europe Swedish,USA US USD 0 Americas English,United Kingdom GB GBP 20 Europe English"""
STATUSES, TOPICS = ("open", "closed"), ("refund", "download", "login")
FACTS = {fields[0]: fields[1:] for line in COUNTRIES.replace(",", "\n").split("\n") for fields in [line.rsplit(" ", 5)]}


def draw(words, most):
    """A number below `most` that looks random, and is always the same."""
    return zlib.crc32(str(words).encode()) % most


def get_rates():
    """Exchange rates of today: units of each currency for one US dollar"""
    words = RATES.split()
    rates = {code: float(rate) for code, rate in zip(words[::2], words[1::2])}
    return {"base": "USD", "date": TODAY, "source": "Reference rates of the central bank", "rates": rates}


def get_country(name="Norway"):
    """Facts about a country, by its English name"""
    code, currency, vat, region, language = FACTS[name]
    money = {"code": currency, "decimals": 2, "symbol_first": currency == "USD"}
    return {"name": name, "code": code, "region": region, "language": language, "currency": money, "vat_percent": float(vat), "driving_side": "right",
            "calling_code": f"+{draw(name, 90) + 10}", "population": draw(name, 90_000_000), "timezone": f"UTC+{draw(code, 12)}", "holidays": ["01-01", "12-25"]}


def get_weather(city="Oslo"):
    """The weather in a city now, and its forecast"""
    station = {"id": f"S{draw(city, 9999)}", "elevation_m": draw(city, 700), "operator": "Meteorological Institute"}
    forecast = [{"date": f"2025-12-2{day}", "low_c": draw((city, day), 9), "high_c": 9 + draw((day, city), 9), "rain_mm": draw((city, day), 30)} for day in (3, 4, 5)]
    return {"city": city, "observed_at": f"{TODAY}T09:00:00Z", "station": station, "temperature_c": draw((city, "t"), 400) / 10 - 15,
            "humidity_percent": draw((city, "h"), 100), "pressure_hpa": 980 + draw(city, 50), "wind": {"speed_kmh": draw((city, "w"), 80), "from": "NW"}, "forecast": forecast}


def get_offer(track=1):
    """What a track costs on the market today, by its id in the shop"""
    cents = 99 + 10 * (draw((track, "p"), 7) - 3)
    sellers = [{"name": name, "price": (cents + extra) / 100, "rating": draw((track, name), 50) / 10} for name, extra in (("Tunes", 0), ("Sounds", 7), ("Discs", 21))]
    return {"track": track, "price": cents / 100, "currency": "USD", "updated_at": f"{TODAY}T06:00:00Z", "formats": ["flac", "mp3"], "sellers": sellers}


def list_tickets(status="open", topic="refund", page=1):
    """Tickets of customers by status and topic, 20 on a page; customer and invoice are ids in the shop"""
    tickets = []
    for number in range(1, 301):
        ticket = {"id": number, "status": STATUSES[draw((number, "s"), 2)], "topic": TOPICS[draw((number, "o"), 3)], "customer": 1 + draw((number, "c"), 59),
                  "invoice": 1 + draw((number, "i"), 412), "opened_at": f"2025-12-{1 + draw(number, 21):02}T08:00:00Z", "words": "I wrote last week and have no answer yet.", "tags": ["web"]}
        tickets += [ticket] if (status, topic) == (ticket["status"], ticket["topic"]) else []
    return {"tickets": tickets[20 * page - 20 : 20 * page], "page": page, "pages": -(-len(tickets) // 20), "total": len(tickets)}


VALUES = {"status": STATUSES, "topic": TOPICS}
OPERATIONS = {function.__name__: function for function in (get_rates, get_country, get_weather, get_offer, list_tickets)}


def schema(value):
    """The schema of what is like this value."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {name: schema(member) for name, member in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": schema(value[0])}
    return {"type": {bool: "boolean", int: "integer", float: "number", str: "string"}[type(value)]}


def description():
    paths = {}
    for name, function in OPERATIONS.items():
        inputs = inspect.signature(function).parameters.values()
        schemas = {it.name: schema(it.default) for it in inputs} | {it.name: {"enum": values} for it in inputs if (values := VALUES.get(it.name))}
        parameters = [{"name": name, "in": "query", "required": name != "page", "schema": each} for name, each in schemas.items()]
        answer = {"description": "OK", "content": {"application/json": {"schema": schema(function())}}}
        paths[f"/{name}"] = {"get": {"operationId": name, "summary": function.__doc__, "parameters": parameters, "responses": {"200": answer}}}
    return {"openapi": "3.0.3", "info": {"title": "World", "version": "1"}, "paths": paths}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        function = OPERATIONS[path[1:]]
        inputs = inspect.signature(function).parameters
        body = json.dumps(function(**{name: type(inputs[name].default)(text) for name, text in urllib.parse.parse_qsl(query)})).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
