import { expect, test } from 'bun:test'
import { isSecretName } from './redaction.ts'

test.each([
  'password',
  'new_password',
  'PASSWORD',
  'passphrase',
  'secret',
  'clientSecret',
  'token',
  'refresh_tokens',
  'key',
  'api_key',
  'apikey',
  'encryptionKeyPrevious',
  'Authorization',
  'Set-Cookie',
  '__Host-device',
  'device_cookie',
  'community',
  'code_verifier',
])('%s is secret', (name) => {
  expect(isSecretName(name)).toBe(true)
})

test.each(['username', 'key_id', 'apiKeyId', 'token_count', 'keyPrefix', 'path', 'pass', 'code'])(
  '%s is not secret',
  (name) => {
    expect(isSecretName(name)).toBe(false)
  },
)
