/** The picture of an impact, its texts, and the devices of its URL. */
import { describe, expect, test } from 'bun:test'
import { LinkIndex } from '../graph.ts'
import { parseImpact, toggleImpact } from '../search.ts'
import { buildAffectedGraph } from './affected-graph.ts'
import { formatFile, formatSummary, formatText, type Impact, listMarks, listRows } from './effects.ts'

const links = new LinkIndex([
  { parent_id: 'sw', child_id: 'a', type: 'connected_to' },
  { parent_id: 'a', child_id: 'b', type: 'contains' },
  { parent_id: 'sw', child_id: 'c', type: 'connected_to' },
  { parent_id: 'c', child_id: 'far', type: 'contains' },
])

const IMPACT: Impact = {
  failed: [{ device_id: 'a', name: 'alpha' }],
  affected: [
    {
      ...{ device_id: 'b', name: '=beta', status: 'active', datacenter_id: null, effect: 'stops', depth: 1 },
      because: { device_id: 'a', type: 'contains' },
    },
    {
      ...{ device_id: 'c', name: 'gamma', status: 'active', datacenter_id: null, effect: 'cut_off', depth: 1 },
      because: null,
    },
  ],
  degraded: [{ device_id: 'd', name: 'delta' }],
  counts: { failed: 1, stops: 1, cut_off: 1, degraded: 1 },
  is_truncated: false,
}

describe('the picture of an impact', () => {
  test('has the affected devices first, then their direct neighbors, and the links between all', () => {
    const { ids, links: drawn, left } = buildAffectedGraph(links, { view: 'affected', ids: ['a', 'b'], most: 10 })
    expect(ids).toEqual(['a', 'b', 'sw'])
    expect(drawn.map(({ from, to, type }) => [from, to, type])).toEqual([
      [0, 1, 'contains'],
      [2, 0, 'connected_to'],
    ])
    expect(left).toBe(0)
  })

  test('counts the devices that its limit leaves out, once each', () => {
    expect(buildAffectedGraph(links, { view: 'affected', ids: ['a', 'b', 'c'], most: 2 })).toMatchObject({
      ids: ['a', 'b'],
      left: 2,
    })
  })

  test('marks failed and affected devices, and no degraded ones', () => {
    expect([...listMarks(listRows(IMPACT))]).toEqual([
      ['a', { effect: 'failed', depth: 0 }],
      ['b', { effect: 'stops', depth: 1 }],
      ['c', { effect: 'cut_off', depth: 1 }],
    ])
  })
})

describe('an impact in words', () => {
  test('says what follows', () => {
    expect(formatSummary(IMPACT)).toBe(
      'If alpha goes away, 1 device would stop, 1 would be cut off, 1 would lose an address',
    )
    const nothing = { ...IMPACT, affected: [], degraded: [], counts: { failed: 2, stops: 0, cut_off: 0, degraded: 0 } }
    const failed = [...IMPACT.failed, { device_id: 'x', name: 'x' }]
    expect(formatSummary({ ...nothing, failed })).toBe('If these 2 devices go away, nothing else stops without them')
  })

  test('is a list with reasons for a ticket', () => {
    expect(formatText(IMPACT).split('\n').slice(2, 6)).toEqual([
      '- alpha goes away',
      '- =beta stops: alpha contains it',
      '- gamma is cut off',
      '- delta loses an address',
    ])
  })

  test('is a file without formulas', () => {
    expect(formatFile(IMPACT).split('\r\n')[2]).toBe("b,'=beta,stops,1,alpha contains it")
  })
})

test('the URL has each device once, and none without devices', () => {
  expect(parseImpact('a,b,,a')).toEqual(['a', 'b'])
  expect(toggleImpact(['a'], 'b')).toBe('a,b')
  expect(toggleImpact(['a', 'b'], 'a')).toBe('b')
  expect(toggleImpact(['a'], 'a')).toBeUndefined()
})
