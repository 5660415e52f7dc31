/** Sample code that verifies the signature of a delivery, in common languages. */

type Snippet = { readonly language: string; readonly code: string }

const NODE = `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the bytes as they were received, not parsed
export function isFromPlat(secret, body, signature = '') {
  const wanted = Buffer.from('sha256=' + createHmac('sha256', secret).update(body).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
`

const PYTHON = `import hashlib
import hmac


# body: the bytes as they were received, not parsed
def is_from_plat(secret: str, body: bytes, signature: str) -> bool:
    wanted = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), signature.encode())
`

const GO = `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// IsFromPlat takes the body as it was received, not parsed.
func IsFromPlat(secret, body []byte, signature string) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	wanted := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(wanted), []byte(signature))
}
`

const SHELL = `#!/bin/sh
# verify.sh SIGNATURE < body; the secret is in the file that SECRET_FILE names.
# openssl takes the key as an argument: use it only on a machine without other users.
key=$(printf %s "$(cat "$SECRET_FILE")" | od -An -v -tx1 | tr -d ' \\n')
wanted=sha256=$(openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" | sed 's/.* //')
# Their hashes are compared, so that the time it takes tells nothing of the signature itself.
test "$(printf %s "$wanted" | openssl dgst -sha256)" = "$(printf %s "$1" | openssl dgst -sha256)"
`

export const SNIPPETS: readonly [Snippet, ...Snippet[]] = [
  { language: 'Node', code: NODE },
  { language: 'Python', code: PYTHON },
  { language: 'Go', code: GO },
  { language: 'Shell', code: SHELL },
]
