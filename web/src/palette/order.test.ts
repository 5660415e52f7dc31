import { describe, expect, test } from 'bun:test'
import { findMarked, keepMarked, orderRows } from './order.ts'

type Row = { readonly id: string; readonly text: string; readonly synonyms?: readonly string[] }

const toRow = (text: string): Row => ({ id: text, text })
const getIds = (rows: readonly Row[]) => rows.map(({ id }) => id)

const KNOWN: readonly Row[] = [
  toRow('Networks'),
  toRow('New network'),
  toRow('Address spaces'),
  toRow('Nearly full networks'),
  { id: 'Single sign-on', text: 'Single sign-on', synonyms: ['sso', 'oidc', 'saml'] },
  { id: 'Sign out', text: 'Sign out', synonyms: ['logout', 'log off'] },
  toRow('Network'),
]

const order = (text: string, answers: readonly string[] = [], found: readonly string[] = []) =>
  orderRows(text, { known: KNOWN, answers: answers.map(toRow), found: found.map(toRow) })

describe('the order of the rows', () => {
  test('whole names come before names with a word that begins with the text', () => {
    expect(getIds(order('network').rows)).toEqual(['Network', 'Networks', 'New network', 'Nearly full networks'])
  })

  test('answers and found objects come between names that begin and names that contain', () => {
    const { rows, sure } = order('work', ['an answer'], ['my-work', 'work', 'workshop'])
    expect(getIds(rows)).toEqual([
      ...['an answer', 'work', 'workshop', 'my-work'],
      ...['Networks', 'New network', 'Nearly full networks', 'Network'],
    ])
    expect(sure).toBe(0)
  })

  test('found objects of the same rank keep the order of the server', () => {
    expect(getIds(order('xx', [], ['b-xx', 'a-xx', 'xx-2', 'xx-1']).rows)).toEqual(['xx-2', 'xx-1', 'b-xx', 'a-xx'])
  })

  test.each([
    ['sso', 'Single sign-on'],
    ['SAML', 'Single sign-on'],
    ['log o', 'Sign out'],
    [' logout ', 'Sign out'],
  ])('the synonym %p leads to %s', (text, name) => {
    const { rows, sure } = order(text)
    expect(rows[0]?.text).toBe(name)
    expect(sure).toBe(1)
  })

  test('a part of a synonym finds nothing', () => {
    expect(order('aml').rows).toEqual([])
  })

  test('without a text, all known rows stand in their order', () => {
    expect(order('')).toEqual({ rows: KNOWN, sure: KNOWN.length })
  })
})

describe('the mark', () => {
  const isAnswered = false
  const chosen = undefined

  test('is on the first row at once if its name begins with the text', () => {
    expect(findMarked(order('netw'), { chosen, isAnswered })).toBe('Networks')
  })

  test('is on no row that only contains the text before the answers are there', () => {
    expect(findMarked(order('work'), { chosen, isAnswered })).toBeUndefined()
    expect(findMarked(order('work'), { chosen, isAnswered: true })).toBe('Networks')
    expect(findMarked(order('work', [], ['workshop']), { chosen, isAnswered: true })).toBe('workshop')
  })

  test('stays on the chosen row while it is there', () => {
    expect(findMarked(order('netw'), { chosen: 'New network', isAnswered })).toBe('New network')
    expect(findMarked(order('addr'), { chosen: 'New network', isAnswered })).toBe('Address spaces')
  })

  test('nothing is marked where nothing is found', () => {
    expect(findMarked(order('zzz'), { chosen, isAnswered: true })).toBeUndefined()
  })
})

describe('rows that arrive', () => {
  const before = order('work').rows
  const after = order('work', ['an answer'], ['workshop']).rows

  test('stand below the marked row', () => {
    expect(getIds(keepMarked(before, after, 'New network'))).toEqual([
      ...['Networks', 'New network', 'an answer', 'workshop', 'Nearly full networks', 'Network'],
    ])
  })

  test('stand in their order if no row is marked, or the marked one is gone', () => {
    expect(keepMarked(before, after, undefined)).toEqual(after)
    expect(keepMarked(before, order('addr').rows, 'New network')).toEqual(order('addr').rows)
  })

  test('a row above the marked one that is gone leaves its place', () => {
    const next = [toRow('New network'), toRow('more')]
    expect(getIds(keepMarked(before, next, 'New network'))).toEqual(['New network', 'more'])
  })
})
