import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DISK_FAULTS } from './disk-errors.ts'
import { FAULT_KINDS, FaultError } from './fault.ts'

const recovery = readFileSync(join(import.meta.dir, '../../../docs/recovery.md'), 'utf8')

test('docs/recovery.md has a row for each kind of fault, and no other', () => {
  const table = recovery.slice(recovery.indexOf('| `kind` |')).split('\n\n', 1)[0] ?? ''
  expect(
    [...table.matchAll(/^\| `([a-z-]+)` \| (.)/gm)].map(([, kind]) => kind).filter((kind) => kind !== 'kind'),
  ).toEqual([...FAULT_KINDS])
})

test.each(Object.values(DISK_FAULTS))('the error of a fault of kind $kind has its reason and its remedy', (fault) => {
  const { code, status, message } = new FaultError(fault)
  expect([code, status]).toEqual(['UNAVAILABLE', 503])
  expect(message.slice(1)).toBe(`${fault.reason}; ${fault.remedy}`.slice(1))
})
