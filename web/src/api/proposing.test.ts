import { afterEach, expect, test } from 'bun:test'
import { asOf, openProposal } from './as-of.ts'
import { findTaker, held, isShown } from './proposing.ts'

afterEach(() => {
  held.set([])
  asOf.set(undefined)
  openProposal.set(undefined)
})

const PROPOSES = ['proposals:create', 'networks:read', 'users:read', 'discovery:read']

test.each([
  ['a write that the user may only propose makes a proposal', PROPOSES, 'networks:create', 'open'],
  ['a write that the user may make is made', [...PROPOSES, 'networks:create'], 'networks:create', undefined],
  ['a user without the right to propose makes no proposal', ['networks:read'], 'networks:create', undefined],
  ['objects that the user does not read are not proposed', ['proposals:create'], 'networks:create', undefined],
  ['accounts are not proposed', PROPOSES, 'users:create', undefined],
  ['the documentation of a discovered device makes a proposal', PROPOSES, 'discovery:update', 'open'],
  ['a call of several permissions leaves it to its form', PROPOSES, { anyOf: ['networks:create'] }, undefined],
] as const)('%s', (_, permissions, access, taker) => {
  held.set(permissions)
  expect(findTaker(access)).toBe(taker)
})

test('the proposal that the pages show takes each write, unless the user may not edit it', () => {
  held.set(['networks:create'])
  asOf.set('proposal:7')
  expect(findTaker('networks:create')).toBeUndefined()
  openProposal.set({ number: 7, canEdit: true })
  expect(findTaker('networks:create')).toBe(7)
  expect(isShown({ proposal: 7 })).toBe(true)
  openProposal.set({ number: 7, canEdit: false })
  expect(findTaker('networks:create')).toBeUndefined()
  expect(isShown({ proposal: 7 })).toBe(false)
  expect(isShown({ change: 'c' })).toBe(true)
})
