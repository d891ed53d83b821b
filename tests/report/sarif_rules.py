# SPDX-License-Identifier: Apache-2.0
"""What SARIF 2.1.0 (OASIS standard with errata 01, section 3) says of the objects and properties that reports use,
as a JSON schema in our own words: names, types, ranges, what is required. A property that is not named here is an
error, so a new one has to be looked up in the standard first."""


def obj(required, **properties):
    names = {name.replace("__", "$", 1) if name.startswith("__") else name: rule for name, rule in properties.items()}
    return {"type": "object", "additionalProperties": False, "required": required.split(), "properties": names}


def array(items, least=0, unique=False):
    return {"type": "array", "items": items, "minItems": least, "uniqueItems": unique}


def enum(*words):
    return {"enum": list(words)}


TEXT = {"type": "string"}
# 3.4.3: a URI reference, percent-encoded; relative ones do not begin with a slash or a dot-dot segment
URI = {"type": "string", "pattern": r"^(?!/)(?!\.\./)[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+$"}
FILE_URI = {"anyOf": [URI, {"type": "string", "pattern": r"^file:///[A-Za-z0-9\-._~:/@!$&'()*+,;=%]*$"}]}
LEVEL = enum("none", "note", "warning", "error")  # 3.27.10
POSITIVE, INDEX = {"type": "integer", "minimum": 1}, {"type": "integer", "minimum": -1}

MESSAGE = obj("text", text={"type": "string", "minLength": 1}, markdown=TEXT)  # 3.11: text or id; we use text
MULTIFORMAT = obj("text", text={"type": "string", "minLength": 1}, markdown=TEXT)  # 3.12
REGION = {**obj("startLine", startLine=POSITIVE, startColumn=POSITIVE, endLine=POSITIVE, endColumn=POSITIVE,
                snippet=obj("text", text=TEXT))}  # 3.30
PHYSICAL = obj("artifactLocation", artifactLocation=obj("uri", uri=FILE_URI, uriBaseId=TEXT, index=INDEX),
               region=REGION)  # 3.29
LOGICAL = obj("", name=TEXT, fullyQualifiedName=TEXT, decoratedName=TEXT, parentIndex=INDEX, index=INDEX,
              kind=TEXT)  # 3.33
LOCATION = obj("", id={"type": "integer", "minimum": -1}, physicalLocation=PHYSICAL,
               logicalLocations=array(LOGICAL, 0, True), message=MESSAGE)  # 3.28
RULE = obj("id", id=TEXT, name=TEXT, shortDescription=MULTIFORMAT, fullDescription=MULTIFORMAT, help=MULTIFORMAT,
           helpUri=URI, defaultConfiguration=obj("", level=LEVEL))  # 3.49
DRIVER = obj("name", name=TEXT, version=TEXT, semanticVersion=TEXT, informationUri=URI,
             rules=array(RULE, 0, True))  # 3.19
RESULT = obj("message", ruleId=TEXT, ruleIndex=INDEX, level=LEVEL, message=MESSAGE, locations=array(LOCATION),
             relatedLocations=array(LOCATION, 0, True), occurrenceCount=POSITIVE,
             partialFingerprints={"type": "object", "additionalProperties": TEXT})  # 3.27
RUN = obj("tool", tool=obj("driver", driver=DRIVER),
          invocations=array(obj("executionSuccessful", executionSuccessful={"type": "boolean"}), 0, True),  # 3.20
          originalUriBaseIds={"type": "object"}, columnKind=enum("utf16CodeUnits", "unicodeCodePoints"),
          results={"anyOf": [array(RESULT), {"type": "null"}]})  # 3.14
LOG = obj("version runs", __schema=TEXT, version=enum("2.1.0"), runs=array(RUN))  # 3.13


def plain_errors(schema, value, where=""):
    """The few keywords used above, for machines without the jsonschema package."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    if "anyOf" in schema:
        if all(list(plain_errors(s, value, where)) for s in schema["anyOf"]):
            yield f"{where}: fits none of the forms allowed"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r} is none of {schema['enum']}"
    kind = kinds.get(schema.get("type"))
    if kind and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        yield f"{where}: is no {schema['type']}"
        return
    if kind is int and value < schema.get("minimum", value):
        yield f"{where}: {value} is too small"
    if kind is str:
        import re
        if len(value) < schema.get("minLength", 0) or not re.search(schema.get("pattern", ""), value):
            yield f"{where}: {value!r} has the wrong form"
    if kind is list:
        if len(value) < schema["minItems"] or (schema["uniqueItems"] and any(v in value[:i] for i, v in enumerate(value))):
            yield f"{where}: too few items, or two alike"
        for i, item in enumerate(value):
            yield from plain_errors(schema["items"], item, f"{where}/{i}")
    if kind is dict:
        rest = schema.get("additionalProperties", True)
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}: has no {name}"
        for name, item in value.items():
            rule = schema.get("properties", {}).get(name, rest)
            if rule is False:
                yield f"{where}: {name} is not a property of SARIF that is known here"
            elif isinstance(rule, dict):
                yield from plain_errors(rule, item, f"{where}/{name}")


def errors(value):
    try:
        import jsonschema
    except ImportError:
        yield from plain_errors(LOG, value)
        return
    jsonschema.Draft7Validator.check_schema(LOG)
    for e in jsonschema.Draft7Validator(LOG).iter_errors(value):
        yield f"{'/'.join(map(str, e.path))}: {e.message[:200]}"
