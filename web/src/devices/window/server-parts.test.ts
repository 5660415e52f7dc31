/** The parts of a filter that the server applies, and the parts that wait for the browser. */
import { describe, expect, test } from 'bun:test'
import type { Device } from '../../api/contracts.ts'
import { DEVICE_FILTERS, SPACE } from '../column-spec.ts'
import { hasAllRows, isAmong, parseParts, removeApplied } from './server-parts.ts'

const fields = [...DEVICE_FILTERS, SPACE]
const datacenters = [
  ['d1', 'fra1'],
  ['d2', 'fra10'],
  ['d3', 'AMS'],
] as const
const parts = (text: string) => parseParts(text, { fields, datacenters })

test.each([
  ['', [], []],
  ['web DB-1', [['q', 'web DB-1']], []],
  ['10.0.0.0/24', [['q', '10.0.0.0/24']], []],
  [
    'tag:Prod tag:eu web',
    [
      ['q', 'web'],
      ['tags', 'Prod'],
      ['tags', 'eu'],
    ],
    [],
  ],
  ['tag:"core network"', [['tags', 'core network']], []],
  ['status:pl', [['status', 'planned']], []],
  ['dc:fra1', [['datacenter_id', 'd1']], []],
  ['dc:am', [['datacenter_id', 'd3']], []],
  ['dc:fra', [], ['dc:fra']],
  ['space:S-1', [['space_id', 'S-1']], []],
  ['-web -tag:x os:debian ip:10. in:import', [], ['-web', '-tag:x', 'os:debian', 'ip:10.', 'in:import']],
  ['"two words" a', [['q', 'a']], ['"two words"']],
] as const)('%p', (text, params, waiting) => {
  const found = parts(text)
  expect([JSON.stringify(found.params), found.waiting]).toEqual([JSON.stringify(params), [...waiting]])
})

test.each(['status:x', 'dc:nowhere', 'status:active status:planned', `tag:${'x'.repeat(256)}`])(
  'no device can match %p',
  (text) => expect(parts(text).params).toBeUndefined(),
)

test('words beyond the longest text wait', () => {
  const { params, waiting } = parts(`${'x'.repeat(250)} ${'y'.repeat(10)}`)
  expect([params, waiting]).toEqual([[['q', 'x'.repeat(250)]], ['y'.repeat(10)]])
})

test('without the names of datacenters, dc: waits', () => {
  expect(parseParts('dc:fra1', { fields, datacenters: [] }).waiting).toEqual(['dc:fra1'])
})

describe('rows that are here', () => {
  test.each([
    ['web', 'web-1', true],
    ['web', 'web status:planned', true],
    ['web', 'we', false],
    ['tag:a', 'tag:a tag:b', true],
    ['tag:a', 'tag:b', false],
    ['dc:fra1', '', false],
    ['10.0.0.0/24', '10.0.0.0/24', true],
    ['10.0.0.0/24', '10.0.0.0/24 web', false],
  ])('the rows of %p include the rows of %p: %p', (base, next, holds) => {
    expect(hasAllRows(parts(base), parts(next))).toBe(holds)
  })

  test('need only the rest of the filter', () => {
    expect(removeApplied('web tag:a -os:debian web-1', fields, parts('web tag:a'))).toBe('-os:debian web-1')
  })

  test('are joined by a changed device that matches', () => {
    const device = {
      ...{ name: 'Web', hostname: '', description: '', make_model: '', os: '', location: '', status: 'planned' },
      ...{ tags: ['a'], domains: [], datacenter_id: 'd1', addresses: [{ ip: '10.0.0.9', dns_name: 'x.example' }] },
      // The fields that a filter reads.
    } as unknown as Device
    for (const text of ['web', 'x.example', '10.0.0.0/24', 'tag:a', 'dc:fra1', 'status:planned', 'space:default'])
      expect([text, isAmong(device, parts(text))]).toEqual([text, true])
    for (const text of ['db', '10.0.1.0/24', 'tag:A', 'dc:ams', 'status:active', 'space:other', 'web db'])
      expect([text, isAmong(device, parts(text))]).toEqual([text, false])
  })
})
