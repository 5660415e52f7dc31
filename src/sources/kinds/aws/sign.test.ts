/** Signatures, by the examples that AWS publishes for signature version 4. */
import { expect, test } from 'bun:test'
import { signRequest } from './sign.ts'

const KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
}
const REQUEST = {
  url: new URL('https://example.amazonaws.com/'),
  headers: {},
  body: '',
  service: 'service',
  region: 'us-east-1',
  date: new Date('2015-08-30T12:36:00Z'),
}
const CREDENTIAL = 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request'

test('a POST without a body has the published signature', () => {
  expect(signRequest(REQUEST, KEYS)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `${CREDENTIAL}, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b`,
  })
})

test('a form has the published signature', () => {
  const form = { ...REQUEST, headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'Param1=value1' }
  expect(signRequest(form, KEYS).authorization).toBe(
    `${CREDENTIAL}, SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a`,
  )
})

test('a POST with a session token has the published signature', () => {
  const sessionToken =
    'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='
  const headers = signRequest(REQUEST, { ...KEYS, sessionToken })
  expect(headers['x-amz-security-token']).toBe(sessionToken)
  expect(headers.authorization).toBe(
    `${CREDENTIAL}, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead`,
  )
})
