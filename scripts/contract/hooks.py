"""Excuses findings about rules that JSON Schema cannot say. All others are findings."""

import ast
import ipaddress
import os
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
    r"^device_ids: is required, or datacenter_ids or network_ids$",  # one of three lists
    # Labels of 1 to 63 bytes, which may have escapes, and 255 bytes in all.
    r"^(name|zone|tsig_name|nameservers\[\d+\]): must be a (domain|host) name$",
    r"^admin_email: must be an e-mail address$",
    # Between a field and the caller.
    r"^name: passkeys need PUBLIC_URL",
    r"^(totp|recovery_code|passkey): is one factor too many$",
    r"^Users can't delete their own account$",
    r"^current_password: is required$",  # if it is one's own
    # Between a field and the object that another one names.
    r"^scan: (is \w+ already|another one of this network is running)$",
    r"^id: the conflict is resolved already$",
    # The rows of an estate document, which has a JSON Schema of its own.
    r"^(kinds|custom-fields|spaces|datacenters|vlans|networks|pools|device-types|racks|devices|ports|cables|objects|relationships|reservations)\[\d+\]",
    r"^packs\[\d+\]: ",
    r": is no list of an estate document",
    # JSON in a text, and files of other programs.
    r"^mapping: must be JSON",
    r"^file: ",
    r"^text: has no lease",
    r"^keep_device_id: (only devices can keep an address|is not part of the conflict)$",
    r"^network_id: can't change",  # of a pool, whose own one may be repeated
    r": is outside of (the|its) (network|pool) ",
    r": the range of the pool does not hold ",
    r"^ip: belongs to the more specific network",
    r"^device_id: is required: no pool of the network holds ",
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
    # Between a call and the state of its proposal, or what it changes.
    r"^state: the proposal is (draft|open|merged|closed), and this needs one that is ",
    r"^object_id: (the proposal changes no |is given with kind)",
    r"^expect: is for an apply in earnest",
    r"^operations\[\d+\]\.operation: there is no operation .* that can be proposed$",
    r"^operations: an open proposal needs an operation$",
    r"^proposal: must be draft, open, or the id or number of a proposal",  # that exists
    r"^approvals: must be at least 1 in a policy without checks$",
    # Between a field and the clock, or a setting.
    r"^expires_at: must be in the future$",
    r"^id: is of a key that has expired; ",
    # Moments in the future, or before the beginning of the history.
    r"^(as_of|from|to): ",
    r"^issuer: (needs the setting PUBLIC_URL|must be an https URL|cannot change)",
    r"^client_secret: cannot be stored",  # without ENCRYPTION_KEY
    r"^id: is the only way in: ",
    # Of a device that waits, or of a token that is signed.
    r"^The device code is unknown, used or expired$",
    r"^invalid_request$",
    # Of a channel: its URL by its format, and the fields that others need.
    r"^url: (must (be mailto:|begin with http|end with the topic|be https://api)|is the form|has an invalid|cannot be)",
    r"^url: is needed again: this format shows its URL",
    r"^format: email needs ",
    r"^timezone: must be the name of a time zone",
    r"^quiet_(from|to): (is needed with|must be another time)",
    r"^events: must name at least one event$",  # without reports
    r"^reports: (are for digests|there is no report)",
    r"^url: \S+ is (never connected to|refused as|a private address)",  # allowed by SSRF_ALLOW_PRIVATE_TARGETS
    # Of a source: by its kind, its secrets and its objects.
    r"^url: is empty: the snapshots of this source are pushed",
    r"^url: must (be empty: snapshots|be unix: and|not have a (fragment|query))",
    r"^(options|secrets)\.\S+: ",
    r"^(tls_ca: must be certificates as PEM|tls_fingerprint: must be 64 hexadecimal digits)",
    r"^interval_minutes: must be 0, or 5-10080$",
    r"^snapshot: is empty$",  # which is no JSON
    r"^ref: (is the ref of the source|cannot change after the first run)",
    r"^custom\.\S+: devices have no custom field ",
    r"^objects\[\d+\]\.(key|object_id): ",
    # Custom fields, by their definitions.
    r"^(addresses\[\d+\]\.|address_)?custom\.",
    r"^sort: ",  # by a custom field
    # Of a kind: its words, its objects, and the fields that it is made with.
    r"^id: (cannot be made of the name|\".*\" is a word of Plat)",
    r"^fields\[\d+\]",
    r"^(nested|located): cannot be false while ",
    r"^unique_names: two objects have ",
    r"^kind_id: (cannot change|is required for a filter or an order by custom fields)$",
    r"^(parent_id|datacenter_id): the kind .* is not (nested|located): ",
    r"^parent_id: (must be an object of the kind|must not be the object itself|would make more than)",
    # Between the fields of a definition.
    r"^(resource|reference_to): must be one of ",  # or the id of a kind that exists
    r"^(choices|multiple|reference_to|pattern|minimum|maximum|searchable|unique): (is|are) (not )?(for|required for) ",
    r"^choices: .* differ in case alone$",
    r"^pattern: is no regular expression ",
    r"^(minimum|maximum): must be a whole number for the type integer$",
    r"^minimum: must not be above the maximum ",
    r"^only_for\.(field|values\[\d+\]): must be one of ",  # fields of the resource, and their values
    r"^default: ",
    # Between a definition and the values of objects.
    r"^(resource|type|multiple|reference_to): cannot change while objects have a value",
    r"^choices: lacks ",
    r"^unique: two objects have the value ",
    # Between a place, its rack, its device type and the other devices.
    r"^mount\.rack_id: the rack .* is in another datacenter than the device$",
    r"^mount\.position: (must be null for a device of height 0|would be outside of the rack |overlaps the device )",
    r"^mount\.height: must be 0.5 to 100; 0 is that of a device type that goes in no unit$",
    r"^(height|first_unit): would leave the device .* outside of the rack$",
    # Between the ports of a device type, and the documents of a text.
    r"^ports\[\d+\]\.name: is the name of two ports: ",
    r"^device_ids\[\d+\]: is no device of the type ",
    r"^yaml: document \d+: ",
    # Between a port and the others of its device, or its cables.
    r"^parent_id: must be (no part of the port itself|a port of the same device)$",
    r"^device_id: (a port stays at its device|a device has at most [\d,]+ ports)$",
    r"^(kind: must be \w+, as |pass_through: its rear has a cable$)",
    # Between the ends of a cable and their ports.
    r"^[ab]\.(port_id|port): is required",
    r"^[ab]\.side: .* is no pass-through port",
    r"^[ab]\.device_id: is not the device of the port$",
    r"^[ab]: (.* has a cable already, with the id |never changes; )",
    r"^b: (must be another end than a$|is a \w+ port, and a is )",
    # Between two fields.
    r"^zone_id: is required$",  # with the format zone
    r"^user_id: is needed, or group_id, and not both of them$",
    r"^effective: is for the grants of a user: ",
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
    r"^(mac_address|ip): is for one address, ",  # not with a higher count
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
    message = re.sub(r"^operations\[\d+\]\.(device|network|port|cable)\.", "", message)
    return any(re.search(excused, message) for excused in EXCUSED)


def has_edges(value):
    """Whether a text begins or ends with white space: the server trims names before it measures them."""
    if isinstance(value, dict):
        return any(has_edges(one) for one in value.values())
    if isinstance(value, list):
        return any(has_edges(one) for one in value)
    return isinstance(value, str) and value != value.strip()


@schemathesis.hook
def filter_case(context, case):
    """Whether a case leaves the key of the run as it is."""
    return case.method == "GET" or (case.path_parameters or {}).get("id") != os.environ["OWN_KEY_ID"]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    # More than 16 KiB before the body: refused without being read.
    if kind in ("AcceptedNegativeData", "RejectedPositiveData") and response.status_code == 431:
        return False
    # NetBox refuses missing credentials with 403, which the document says.
    if kind == "MissingHeaderNotRejected" and case.path.startswith("/netbox/api/"):
        return response.status_code != 403
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
