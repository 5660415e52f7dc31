"""Excuses findings about rules that JSON Schema cannot say. All others are findings."""

import ast
import ipaddress
import re
import threading
from unicodedata import category, normalize

import schemathesis

# A 400 is excused if each of its messages ("field: message") matches one of these.
EXCUSED = [
    # Which objects exist.
    r": there is no [a-z ]+ with the id ",
    r": there is no [a-z ]+ with id ",
    r"^operations\[\d+\]: No [a-z]+ with id ",
    r"^operations\[\d+\]: A [a-z]+ with (the )?id .* exists already$",
    r"^client_id is not registered$",
    r"^redirect_uri is not one that the client has registered$",
    r"^scope holds nothing that the client has registered$",
    r"^resource must be the address of /mcp$",  # of this server
    r"^Idempotency-Key: was used for another request",
    r"^current_password: is not your password$",
    r": there is no DNS [a-z]+ with id ",
    # Between a field and the object that it belongs to.
    r"^(name|subnet): cannot change: create another zone$",
    r"^(provider_id: the zone has none|mode: a watched zone is never written)",
    # Labels of 1 to 63 bytes, which may have escapes, and 255 bytes in all.
    r"^(name|zone|tsig_name|nameservers\[\d+\]): must be a (domain|host) name$",
    r"^admin_email: must be an e-mail address$",
    # Between a field and the caller.
    r"^Users can't delete their own account$",
    r"^current_password: is required$",  # if it is one's own
    # Between a field and the object that another one names.
    r"^scan: (is \w+ already|another one of this network is running)$",
    r"^id: the conflict is resolved already$",
    # The rows of an estate document, which has a JSON Schema of its own.
    r"^(spaces|datacenters|vlans|networks|pools|devices|relationships|reservations)\[\d+\]",
    r": is no list of an estate document",
    # JSON in a text, and files of other programs.
    r"^mapping: must be JSON",
    r"^file: ",
    r"^text: has no lease",
    r"^keep_device_id: (only devices can keep an address|is not part of the conflict)$",
    r"^network_id: can't change",  # of a pool, whose own one may be repeated
    r": is outside of (the|its) (network|pool) ",
    r": the range of the pool does not hold ",
    r": would leave the (pool|reservation|address) .* outside$",
    r"^(device_id|add_tags): a device has at most \d+ (addresses|tags)$",  # with those that it has
    r"^other_ids\[\d+\]: (was found in another network|is documented as the device) ?",
    r"^ips(\[\d+\])?: (is no address of the device|would leave the device without an address)$",
    r"^A heatmap shows at most 65,536 addresses",  # of the pool
    r": is needed again, because the (URL|credential) ",  # is not the one that is stored
    r"^headers: .* is \"\*\*\*\", and no value is stored for it$",
    r"^hosts\[\d+\]\.ip: is not in ",  # the network of the scan
    r"^(network_id|subnet): \S+ (overlaps the local range|is too large for a scan|has no address)",
    r"^network_id: the address space .* is not reachable from this server",
    r"^prefix_length: must be \d+-\d+ in ",  # the network
    r"^prefix_length: is of no subnet: ",
    r"^prefix_length: every /\d+ of ",  # the network
    r"^prefix_length: would make ",  # too many subnets of it, or cut a pool
    r"^exclude_ips: leaves no address to scan$",
    # Between a field and the clock, or a setting.
    r"^expires_at: must be in the future$",
    # Moments in the future, or before the beginning of the history.
    r"^(as_of|from|to): ",
    r"^url: \S+ is (never connected to|a private address)",  # allowed by SSRF_ALLOW_PRIVATE_TARGETS
    # Between two fields.
    r"^zone_id: is required$",  # with the format zone
    r"^tsig_secret: is required with a tsig_name$",
    r"^mode: watched needs a provider_id",
    r"^(name: is required without a subnet|entries: is required without a kind)$",
    r"^name: is \S+ for this subnet$",
    r"^subnet: must be (a subnet|IPv4 of )",  # of the length of a zone
    r"^value: ",  # of a record, by its type
    r"^name: (must be a name in the zone|the zone itself can have|a CNAME can have) ?",
    r": is not used by the format ",
    r"^media_type: is \S+ for the format ",
    r"^template: (is required|line \d+: |takes |needs |gives )",  # a Liquid template
    r": (is required for|does not belong to) the (type|auth_protocol|priv_protocol) ",
    r": needs an? (auth|priv)_protocol$",
    r"^child_id: must be another device$",  # than device_id
    r"^other_ids\[\d+\]: is the device itself$",  # which id names
    r"^end_ip: must not be lower than start_ip$",
    r"^ttl_seconds: is for reservations; ",  # not with device_id
    r"^mac_address: is for one address, ",  # not with a higher count
    r"^prune: needs managed_by: ",
    r"^code_challenge is missing",  # with code_challenge_method, and for a client without a secret
    r"^code_challenge_method must be S256$",  # with code_challenge
    r"^username and password must come together$",
    r"^client_secret is in the body and in the Authorization header$",
    # Between two items of a list, or two names of an object.
    r"^hosts\[\d+\]\.ip: is there twice$",
    r"^headers\..*: is there twice: names are compared without case$",
]

# CPython 3.11 counts the depth of recursion of all threads together (python/cpython#106905), and Hypothesis parses in each worker.
parse, parsing = ast.parse, threading.RLock()


def parse_alone(*args, **kwargs):
    with parsing:
        return parse(*args, **kwargs)


ast.parse = parse_alone


def messages_of(response):
    body = response.json()
    details = [f"{detail['field']}: {detail['message']}" for detail in body.get("details", [])]
    return details or [body.get("error_description") or str(body["error"])]


# The ends of a range in an exclude list, with any white space around the dash.
RANGE = re.compile(r"([0-9A-Fa-f:.]+)[^0-9A-Fa-f:.,]*-[^0-9A-Fa-f:.,]*([0-9A-Fa-f:.]+)")


def has_reversed_range(case):
    """No pattern says that a range begins before it ends."""
    ranges = RANGE.findall(case.body.get("exclude_ips") or "")
    return any(ipaddress.ip_address(first) > ipaddress.ip_address(last) for first, last in ranges)


def has_high_marks(text):
    """Whether a text has an invisible character above U+FFFF: languages differ in how a pattern names one."""
    return any(ord(one) > 0xFFFF and (category(one) == "Cf" or ord(one) >> 12 == 0xE0) for one in text or "")


def is_excused(message, case):
    if re.match("username: must not (contain invisible characters|be blank)", message):
        return has_high_marks(case.body["username"])
    # The normal form is measured, which may be longer.
    if message == "username: must have at most 255 characters":
        return len(normalize("NFKC", case.body["username"]).strip()) > 255
    if message.startswith("client_name must be readable text"):
        return has_high_marks(case.body["client_name"])
    if message.startswith("exclude_ips: must be"):
        return has_reversed_range(case)
    # The fields of an item of a bulk call have the rules of its own operation.
    message = re.sub(r"^operations\[\d+\]\.(device|network)\.", "", message)
    return any(re.search(excused, message) for excused in EXCUSED)


def has_edges(value):
    """Whether a text begins or ends with white space: the server trims names before it measures them."""
    if isinstance(value, dict):
        return any(has_edges(one) for one in value.values())
    if isinstance(value, list):
        return any(has_edges(one) for one in value)
    return isinstance(value, str) and value != value.strip()


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    # More than 16 KiB before the body: refused without being read.
    if kind in ("AcceptedNegativeData", "RejectedPositiveData") and response.status_code == 431:
        return False
    # No request leaves the server of this test.
    if kind == "ServerError" and response.status_code == 502:
        return response.json()["code"] != "PROVIDER_UNREACHABLE"
    if kind == "AcceptedNegativeData" and "maxLength" in failure.message:
        return not has_edges(case.body)
    if kind != "RejectedPositiveData":
        return True
    # No schema says which version of an object is current.
    if response.status_code == 412:
        return False
    if response.status_code != 400:
        return True
    return not all(is_excused(message, case) for message in messages_of(response))
