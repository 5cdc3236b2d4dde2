"""Rules in CEL, for the CustomResourceDefinitions and for the admission policy.

A rule of a definition is asked again on every write, that of a status included, and servers before
1.33 do so even when nothing changed that it speaks of. An object from before the rule would get no
status any more. So each rule here is asked of a new object only: whatever was accepted once, by
whatever version, can be labelled, finalized and reported on for ever.
"""

import re
from typing import Any

Rule = dict[str, Any]

INVALID = "FieldValueInvalid"
REQUIRED = "FieldValueRequired"
FORBIDDEN = "FieldValueForbidden"
DUPLICATE = "FieldValueDuplicate"


def rule(holds: str, message: str, reason: str, *, field: str = "") -> Rule:
    """Give a rule that a new object has to meet; `field` is relative to where the rule stands."""
    return {
        "rule": f"oldSelf.hasValue() || ({holds})",
        "optionalOldSelf": True,
        "message": message,
        **({"fieldPath": field} if field else {}),
        "reason": reason,
    }


def lasting_rules(holds: str, message: str, reason: str, *, field: str = "") -> list[Rule]:
    """Give the rules that a new object has to meet, and that no change may break again.

    What broke them when it was stored may go on doing so. `holds` speaks of `self`; as the second
    rule is not asked of new objects, both stand where the server knows what was there before.
    """
    told = {"message": message, **({"fieldPath": field} if field else {}), "reason": reason}
    before = re.sub(r"\bself\b", "oldSelf", holds)
    return [
        rule(holds, message, reason, field=field),
        {"rule": f"({holds}) || !({before})", **told},
    ]


def unique_names_rule() -> Rule:
    """Give the rule, standing at a list of named things, that each name stands there once."""
    holds = "self.all(a, self.exists_one(b, b.name == a.name))"
    return rule(holds, "must not use a name twice", DUPLICATE)


def container_rules() -> list[Rule]:
    """Give the rules that stand at each list of custom containers."""
    ending = "must set no restartPolicy: containers of a warmup have to end"
    return [
        unique_names_rule(),
        rule("self.all(c, !has(c.restartPolicy))", ending, FORBIDDEN),
    ]


def reserved_names_rule(kind: str) -> Rule:
    """Give the rule, standing at the spec, that keeps the names of generated containers free."""
    return rule(
        f"!has(self.custom) || !has(self.custom.{kind}) || !has(self.imagePreload) || "
        f"!has(self.imagePreload.images) || self.custom.{kind}.all(c, "
        "!c.name.matches('^image-(0|[1-9][0-9]?)$') || "
        "int(c.name.substring(6)) >= size(self.imagePreload.images))",
        "must not use image-0, image-1, …: imagePreload.images are called so",
        DUPLICATE,
        field=f".custom.{kind}",
    )
