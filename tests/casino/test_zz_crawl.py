import collections
import logging

import pytest
from django.test import Client

from tests.browser.every_page import PEOPLE, addresses
from tests.browser.full_house import full_house
from tests.casino.test_german_pages import said


@pytest.mark.django_db
def test_crawl(house, django_capture_on_commit_callbacks=None):
    full_house(house)
    logging.disable(logging.CRITICAL)
    cl = {}
    for who in PEOPLE:
        cl[who] = Client()
        cl[who].force_login(house.people[who])
    found = collections.OrderedDict()
    n = 0
    for name, tried in addresses(house).items():
        for a in tried:
            for who, c in cl.items():
                r = c.get(a, headers={"accept-language": "de"})
                if r.status_code == 200 and r["Content-Type"].startswith("text/html"):
                    n += 1
                    de = said(r.content.decode())
                    en = set(said(c.get(a, headers={"accept-language": "en"}).content.decode()))
                    for t in de:
                        if t in en:
                            found.setdefault(t, name)
                    break
    import re

    with open("/tmp/crawl.txt", "w") as f:
        for t, nm in found.items():
            if re.search("[a-z]{2}", t):
                f.write(f"{nm} | {t}\n")
    print(n)
