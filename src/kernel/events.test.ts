// The types of events: the compiler refuses what `@ts-expect-error` marks, and an error where there is none fails the type check.
import { expect, test } from 'bun:test'
import type { ThingsCtx } from '../../testing/app/kernel.ts'
import { type Emit, hasEvent, type Reactions } from './events.ts'

declare module './events.ts' {
  interface Events {
    'test.noted': undefined
    'test.moved': { readonly id: string; readonly to: number }
  }
}

const emitted: string[] = []
const emit: Emit = async (event, ..._data) => void emitted.push(event)

test('an event is emitted by its name with its payload', async () => {
  await emit('test.noted')
  await emit('test.moved', { id: 'a', to: 1 })
  // @ts-expect-error a misspelled name
  await emit('test.nted')
  // @ts-expect-error a payload that the event does not have
  await emit('test.noted', { id: 'a' })
  // @ts-expect-error no payload
  await emit('test.moved')
  // @ts-expect-error a payload of another type
  await emit('test.moved', { id: 'a', to: '1' })
  expect(emitted).toEqual(['test.noted', 'test.moved', 'test.nted', 'test.noted', 'test.moved', 'test.moved'])
})

test('a reaction takes the payload of its event', async () => {
  const moved: string[] = []
  const reactions: Reactions<ThingsCtx> = {
    'test.moved': async (_, { id }) => void moved.push(id),
  }
  const others: Reactions<ThingsCtx>[] = [
    // @ts-expect-error a misspelled name
    { 'test.mved': async () => {} },
    // @ts-expect-error a payload of another type
    { 'test.moved': async (_, { to }: { readonly to: string }) => void moved.push(to) },
    // @ts-expect-error a payload that the event does not have
    { 'test.noted': async (_, { id }: { readonly id: string }) => void moved.push(id) },
  ]
  const none = {} as ThingsCtx // the reaction does not use it
  await reactions['test.moved']?.(none, { id: 'a', to: 1 })
  expect([moved, others.length]).toEqual([['a'], 3])
})

test('a commit is searched for events by their names', () => {
  const names = ['test.moved', 'of.a.later.version']
  expect(hasEvent(names, 'test.moved')).toBe(true)
  expect(hasEvent(names, 'test.noted', 'test.moved')).toBe(true)
  expect(hasEvent(names, 'test.noted')).toBe(false)
  // @ts-expect-error a misspelled name
  expect(hasEvent(names, 'test.mved')).toBe(false)
})
