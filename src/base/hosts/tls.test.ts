import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '../../../testing/app/data-folders.ts'
import { InvalidValue } from '../config/values.ts'
import { checkRootCertificate, parseTls } from './tls.ts'

test.each([
  ['', undefined, undefined],
  ['?a=b', undefined, undefined],
  ['?sslmode=', undefined, undefined],
  ['?sslmode=disable', 'disable', undefined],
  ['?sslmode=allow', 'prefer', undefined],
  ['?sslmode=prefer', 'prefer', undefined],
  ['?SSLMODE=Require', 'require', undefined],
  ['?a=b&sslmode=verify-ca&c=d', 'verify-ca', undefined],
  ['?sslmode=verify-full&sslrootcert=/ca.pem', 'verify-full', '/ca.pem'],
  ['?sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-ca', '/ca.pem'],
  ['?sslrootcert=/ca%20s.pem#x', 'verify-full', '/ca s.pem'],
  ['?sslmode=disable&sslrootcert=/ca.pem', 'verify-full', '/ca.pem'],
  ['?sslmode=require&sslrootcert=/ca.pem', 'verify-full', '/ca.pem'],
  ['?sslmode=require&sslrootcert=system', 'verify-full', undefined],
] as const)('the parameters %p mean the mode %p with the root certificate %p', (query, mode, rootCertificate) => {
  expect(parseTls(query)).toEqual({ mode, rootCertificate })
})

test.each([
  ['/nowhere/ca.pem', undefined, 'must name a file that can be read as sslrootcert: /nowhere/ca.pem (ENOENT)'],
  ['ca.pem', 'no certificate', 'must name a file with certificates (PEM) as sslrootcert: '],
])('the root certificate %s with the content %p is refused', (name, content, message) => {
  const path = content === undefined ? name : join(scratch(), name)
  if (content !== undefined) writeFileSync(path, content)
  const check = () => checkRootCertificate({ mode: 'verify-full', rootCertificate: path })
  expect(check).toThrow(InvalidValue)
  expect(check).toThrow(message)
})
