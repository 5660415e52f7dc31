import { describe, expect, test } from 'bun:test'
import type { AuditEntry } from '../api/contracts.ts'
import { formatValue, hasRedaction, listChanges, parseSent, REDACTED } from './changes.ts'

const entry = (timestamp: string, changes: object, status: AuditEntry['status'] = 'success'): AuditEntry => ({
  id: timestamp,
  timestamp,
  action: 'update',
  resource: 'device',
  resource_id: 'web-01',
  user_id: '',
  username: '',
  key_owner_id: '',
  key_owner: '',
  key_id: '',
  ip_address: '',
  changes: JSON.stringify(changes),
  status,
  error: '',
  request_id: '',
  oauth_client: '',
  change_id: '',
  proposal_id: '',
  tool: '',
})

describe('a recorded input', () => {
  test('is fields, a value, nothing, or cut', () => {
    expect(parseSent('{"os":"Plan 9"}')).toEqual({ kind: 'fields', fields: { os: 'Plan 9' } })
    expect(parseSent('["a"]')).toEqual({ kind: 'value', value: ['a'] })
    expect(parseSent('')).toEqual({ kind: 'nothing' })
    expect(parseSent('{}')).toEqual({ kind: 'nothing' })
    expect(parseSent('{"os":"Pl')).toEqual({ kind: 'cut', text: '{"os":"Pl' })
  })

  test('is shown beside the earlier input', () => {
    const older = [entry('3', { os: 'refused' }, 'failure'), entry('2', { name: 'b' }), entry('1', { os: 'BSD' })]
    expect(listChanges({ os: 'Plan 9', tags: [] }, older)).toEqual([
      { name: 'os', after: 'Plan 9', before: { value: 'BSD', at: '1' } },
      { name: 'tags', after: [] },
    ])
  })

  test('shows where a secret was', () => {
    expect(hasRedaction({ a: [{ password: REDACTED }] })).toBe(true)
    expect(hasRedaction({ a: ['redacted'] })).toBe(false)
  })

  test('is on one line where it is short', () => {
    expect(formatValue(['a', 1])).toBe('["a",1]')
    expect(formatValue({ a: 'x'.repeat(80) })).toContain('\n')
    expect(formatValue('a "b"')).toBe('a "b"')
  })
})
