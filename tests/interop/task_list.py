"""The ten tasks of `tasks.py`: each a question, a program as a model would write it, and the right answer, from rows of SQL and the functions of `world.py`.
The last line of a program is its result."""

import textwrap

from world import get_country, get_offer, get_rates, get_weather, list_tickets

EUR, GBP = (get_rates()["rates"][code] for code in ("EUR", "GBP"))
TASKS = {}


def task(question, program):
    def add(answer):
        TASKS[answer.__name__] = (question, textwrap.dedent(program).strip(), answer)
        return answer

    return add


@task("How much did the five countries with the highest sales bring, in euros by today's rate?", """
    top = await shop.invoice_aggregate(group=["BillingCountry"], select=["sum_Total"], sort=["-sum_Total"], limit=5)
    euros = (await world.get_rates())["rates"]["EUR"]
    {row["BillingCountry"]: round(row["sum_Total"] * euros, 2) for row in top["rows"]}
    """)
def euros(sql):
    return {country: total * EUR for country, total in sql("select BillingCountry, sum(Total) from Invoice group by 1 order by 2 desc limit 5")}


@task("How much VAT is due on the sales of 2025, for each country of Europe, in US dollars?", """
    import asyncio
    where = {"InvoiceDate": {"gte": "2025-01-01 00:00:00"}}
    sales = (await shop.invoice_aggregate(where=where, group=["BillingCountry"], select=["sum_Total"], limit=100))["rows"]
    countries = await asyncio.gather(*[world.get_country(name=row["BillingCountry"]) for row in sales])
    europe = [(row, it) for row, it in zip(sales, countries) if it["region"] == "Europe"]
    {it["name"]: round(row["sum_Total"] * it["vat_percent"] / 100, 2) for row, it in europe}
    """)
def vat(sql):
    sales = [(get_country(name), total) for name, total in sql("select BillingCountry, sum(Total) from Invoice where InvoiceDate >= '2025-01-01' group by 1")]
    return {it["name"]: total * it["vat_percent"] / 100 for it, total in sales if it["region"] == "Europe"}


@task("Which customers in Canada and the USA live where it is coldest now? Their mail addresses, sorted.", """
    import asyncio
    where = {"Country": {"in": ["Canada", "USA"]}}
    customers = (await shop.customer_list(where=where, select=["City", "Email"], limit=100))["rows"]
    cities = sorted({row["City"] for row in customers})
    reports = await asyncio.gather(*[world.get_weather(city=city) for city in cities])
    coldest = min(reports, key=lambda report: report["temperature_c"])["city"]
    sorted([row["Email"] for row in customers if row["City"] == coldest])
    """)
def coldest(sql):
    rows = sql("select City, Email from Customer where Country in ('Canada', 'USA')")
    city = min((city for city, _ in rows), key=lambda city: get_weather(city)["temperature_c"])
    return sorted(email for its, email in rows if its == city)


@task("Which tracks of the last order of hholy@gmail.com cost more on the market now than she paid? Their names, and the prices now.", """
    import asyncio
    customer = (await shop.customer_list(where={"Email": "hholy@gmail.com"}, select=["CustomerId"]))["rows"][0]
    invoices = await shop.invoice_list(where={"CustomerId": customer["CustomerId"]}, sort=["-InvoiceDate"], select=["InvoiceId"], limit=1)
    lines = await shop.invoiceline_list(where={"InvoiceId": invoices["rows"][0]["InvoiceId"]}, select=["TrackId", "UnitPrice"], limit=100)
    paid = {line["TrackId"]: line["UnitPrice"] for line in lines["rows"]}
    offers = await asyncio.gather(*[world.get_offer(track=track) for track in paid])
    dearer = {offer["track"]: offer["price"] for offer in offers if offer["price"] > paid[offer["track"]]}
    tracks = await shop.track_list(where={"TrackId": {"in": list(dearer)}}, select=["TrackId", "Name"], limit=100)
    {row["Name"]: dearer[row["TrackId"]] for row in tracks["rows"]}
    """)
def dearer(sql):
    rows = sql("""select t.TrackId, t.Name, l.UnitPrice from InvoiceLine l join Track t using (TrackId) where l.InvoiceId = (
        select InvoiceId from Invoice join Customer using (CustomerId) where Email = 'hholy@gmail.com' order by InvoiceDate desc limit 1)""")
    return {name: get_offer(track)["price"] for track, name, paid in rows if get_offer(track)["price"] > paid}


@task("How much have the tracks of AC/DC sold for, in pounds by today's rate?", """
    artist = (await shop.artist_list(where={"Name": "AC/DC"}))["rows"][0]
    albums = (await shop.album_list(where={"ArtistId": artist["ArtistId"]}, select=["AlbumId"], limit=100))["rows"]
    tracks = (await shop.track_list(where={"AlbumId": {"in": [row["AlbumId"] for row in albums]}}, select=["TrackId"], limit=100))["rows"]
    sold = await shop.invoiceline_aggregate(where={"TrackId": {"in": [row["TrackId"] for row in tracks]}}, select=["sum_UnitPrice"])
    pounds = (await world.get_rates())["rates"]["GBP"]
    round(sold["rows"][0]["sum_UnitPrice"] * pounds, 2)
    """)
def artist(sql):
    joined = "InvoiceLine l join Track using (TrackId) join Album using (AlbumId) join Artist a using (ArtistId) where a.Name = 'AC/DC'"
    return sql(f"select sum(l.UnitPrice * l.Quantity) from {joined}")[0][0] * GBP


@task("How many open tickets about downloads have the customers of each sales support agent? By last name.", """
    tickets, page, pages = [], 1, 1
    while page <= pages:
        answer = await world.list_tickets(status="open", topic="download", page=page)
        tickets += answer["tickets"]
        page, pages = page + 1, answer["pages"]
    agents = (await shop.employee_list(where={"Title": "Sales Support Agent"}, select=["EmployeeId", "LastName"]))["rows"]
    ids = sorted({ticket["customer"] for ticket in tickets})
    customers = await shop.customer_list(where={"CustomerId": {"in": ids}}, select=["CustomerId", "SupportRepId"], limit=100)
    agent_of = {row["CustomerId"]: row["SupportRepId"] for row in customers["rows"]}
    {agent["LastName"]: len([1 for ticket in tickets if agent_of[ticket["customer"]] == agent["EmployeeId"]]) for agent in agents}
    """)
def tickets(sql):
    agents = dict(sql("select CustomerId, Employee.LastName from Customer join Employee on SupportRepId = EmployeeId"))
    names = [agents[ticket["customer"]] for ticket in all_tickets("download")]
    return {name: names.count(name) for name in names}


@task("Which tracks of the genre Rock And Roll does the shop sell below the price of the market? Their names, sorted.", """
    import asyncio
    genre = (await shop.genre_list(where={"Name": "Rock And Roll"}))["rows"][0]["GenreId"]
    tracks = (await shop.track_list(where={"GenreId": genre}, select=["TrackId", "Name", "UnitPrice"], limit=100))["rows"]
    offers = await asyncio.gather(*[world.get_offer(track=row["TrackId"]) for row in tracks])
    sorted([row["Name"] for row, offer in zip(tracks, offers) if row["UnitPrice"] < offer["price"]])
    """)
def cheap(sql):
    rows = sql("select TrackId, t.Name, UnitPrice from Track t join Genre g using (GenreId) where g.Name = 'Rock And Roll'")
    return sorted(name for track, name, price in rows if price < get_offer(track)["price"])


@task("In which languages should we write to our ten best customers? How many of them read each.", """
    import asyncio
    from collections import Counter
    best = (await shop.invoice_aggregate(group=["CustomerId"], select=["sum_Total"], sort=["-sum_Total", "CustomerId"], limit=10))["rows"]
    customers = await shop.customer_list(where={"CustomerId": {"in": [row["CustomerId"] for row in best]}}, select=["Country"])
    counts = Counter([row["Country"] for row in customers["rows"]])
    countries = await asyncio.gather(*[world.get_country(name=name) for name in counts])
    languages = Counter()
    for country in countries:
        languages[country["language"]] += counts[country["name"]]
    dict(languages)
    """)
def languages(sql):
    rows = sql("select Country from Customer join Invoice using (CustomerId) group by CustomerId order by round(sum(Total), 2) desc, CustomerId limit 10")
    names = [get_country(country)["language"] for (country,) in rows]
    return {name: names.count(name) for name in names}


@task("How much do we pay back if we grant all open tickets about refunds, in euros by today's rate? Each order once.", """
    invoices, page, pages = set(), 1, 1
    while page <= pages:
        answer = await world.list_tickets(status="open", topic="refund", page=page)
        invoices |= {ticket["invoice"] for ticket in answer["tickets"]}
        page, pages = page + 1, answer["pages"]
    total = await shop.invoice_aggregate(where={"InvoiceId": {"in": sorted(invoices)}}, select=["sum_Total"])
    euros = (await world.get_rates())["rates"]["EUR"]
    round(total["rows"][0]["sum_Total"] * euros, 2)
    """)
def refunds(sql):
    invoices = ", ".join(str(ticket["invoice"]) for ticket in all_tickets("refund"))
    return sql(f"select sum(Total) from Invoice where InvoiceId in ({invoices})")[0][0] * EUR


@task("What does the album Big Ones cost in our shop, and what on the market now, track by track, both in pounds?", """
    import asyncio
    album = (await shop.album_list(where={"Title": "Big Ones"}))["rows"][0]
    tracks = (await shop.track_list(where={"AlbumId": album["AlbumId"]}, select=["TrackId", "UnitPrice"], limit=100))["rows"]
    offers = await asyncio.gather(*[world.get_offer(track=row["TrackId"]) for row in tracks])
    pounds = (await world.get_rates())["rates"]["GBP"]
    [round(sum([row["UnitPrice"] for row in tracks]) * pounds, 2), round(sum([offer["price"] for offer in offers]) * pounds, 2)]
    """)
def album(sql):
    rows = sql("select TrackId, UnitPrice from Track join Album using (AlbumId) where Title = 'Big Ones'")
    return [sum(price for _, price in rows) * GBP, sum(get_offer(track)["price"] for track, _ in rows) * GBP]


def all_tickets(topic):
    pages = range(1, list_tickets("open", topic)["pages"] + 1)
    return [ticket for page in pages for ticket in list_tickets("open", topic, page)["tickets"]]
