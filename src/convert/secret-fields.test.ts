import { describe, expect, test } from 'bun:test'
import { ReportBuilder } from './report-builder.ts'
import { isSecret, removeSecrets } from './secret-fields.ts'

describe('a secret field', () => {
  test.each(
    'password passwd admin_password Passphrase secret client_secret psk auth_psk auth_key preshared_key private_key api_key token api_token snmp_community snmp_v3_auth_pass snmp_v3_priv_pass encryption-key ssh_key IPMI-Password'.split(
      ' ',
    ),
  )('is %s', (name) => expect(isSecret(name)).toBe(true))

  test.each(
    'name key_account asset_tag passive compass serial keyboard tokenizer monkey bypass_group authentication comments auth_type'.split(
      ' ',
    ),
  )('is not %s', (name) => expect(isSecret(name)).toBe(false))
})

test('secrets are removed at any depth and counted', () => {
  const report = new ReportBuilder()
  const value = { a: [{ snmp: { community: 'x', port: 161 } }], password: '', token: null, b: 1 }
  expect(removeSecrets(report, 'kind', value)).toEqual({ a: [{ snmp: { port: 161 } }], b: 1 })
  expect(report.report({}).left).toEqual([{ what: 'kind.a.snmp.community', count: 1, why: 'is a secret' }])
})

test('a value without secrets is not copied', () => {
  const value = { a: [1, { b: 2 }] }
  expect(removeSecrets(new ReportBuilder(), 'kind', value)).toBe(value)
})
