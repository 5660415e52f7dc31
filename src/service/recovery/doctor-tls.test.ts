import { expect, test } from 'bun:test'
import { parseDatabaseUrl } from '../../base/hosts/database-url.ts'
import { checkTls } from './doctor-tls.ts'

const check = (url: string) => checkTls(parseDatabaseUrl(url)).map(({ status, message }) => [status, message])
const CLEAR = 'is reached without TLS: the network between sees the data and may change them'
const STRIPPED = 'is reached with TLS only if it offers it: a network between may take it away'

test.each([
  ['postgres://db1/plat', [['warning', `db1:5432 ${CLEAR}`]]],
  ['postgres://10.0.0.1,localhost,db2:6000/plat?sslmode=disable', [['warning', `10.0.0.1:5432, db2:6000 ${CLEAR}`]]],
  ['postgres://db1/plat?sslmode=prefer', [['warning', `db1:5432 ${STRIPPED}`]]],
  ['postgres://[2001:db8::1]/plat?sslmode=allow', [['warning', `[2001:db8::1]:5432 ${STRIPPED}`]]],
  ['postgres://db1/plat?sslmode=require', []],
  ['postgres://db1/plat?sslrootcert=system', []],
  ['postgres://localhost/plat', []],
  ['postgres://127.0.0.1:6000,[::1]/plat', []],
  ['postgres:///plat', []],
] as const)('of the hosts of %s, those that are reached without TLS are named', (url, findings) => {
  expect(check(url)).toEqual(findings.map((finding) => [...finding]))
})
