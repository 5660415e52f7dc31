/** Each event between features has an emitter and a reader. The compiler checks the names and the payloads of both. */
import { describe, expect, test } from 'bun:test'
import { type EventUse, findEvents } from './events.ts'
import { listSources } from './names.ts'

const listNames = (uses: readonly EventUse[]): string[] => uses.map(({ name }) => name)
const filterUnemitted = (uses: readonly EventUse[]) => listNames(uses.filter(({ emitters }) => emitters.length === 0))
const filterUnread = (uses: readonly EventUse[]) => listNames(uses.filter(({ readers }) => readers.length === 0))

describe('the events between features', () => {
  const uses = findEvents(listSources())

  test('the reader of sources finds the declarations of many features', () => {
    expect(uses.length).toBeGreaterThan(50)
  })

  test('each event is declared once', () => {
    const names = listNames(uses)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  test('each event has an emitter', () => {
    expect(filterUnemitted(uses)).toEqual([])
  })

  test('each event has a reader', () => {
    expect(filterUnread(uses)).toEqual([])
  })
})

describe('the reader of events', () => {
  const declare = (...lines: readonly string[]) => ({
    path: 'src/inventory/racks/events.ts',
    text: `declare module '../events.ts' {\n  interface Events {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n}\n`,
  })
  const declared = declare("'rack.deleting': Rack", "'rack.deleted': { readonly id: string }")
  const read = (text: string) => findEvents([declared, { path: 'src/a.ts', text }])

  test('an event that is only declared has neither an emitter nor a reader', () => {
    const uses = read('')
    expect(filterUnemitted(uses)).toEqual(['rack.deleting', 'rack.deleted'])
    expect(filterUnread(uses)).toEqual(['rack.deleting', 'rack.deleted'])
  })

  test.each([
    ['a call', "await ctx.emit('rack.deleting', rack)"],
    ['a call of several lines', "await ctx.emit(\n  'rack.deleting',\n  rack,\n)"],
    ['a call of a function that emits', "await emitRack(ctx, 'rack.deleting', rack)"],
  ])('%s makes the file an emitter of the event', (_, text) => {
    expect(read(text)[0]).toEqual({ name: 'rack.deleting', emitters: ['src/a.ts'], readers: [] })
  })

  test.each([
    ['a reaction', "reactions: {\n  'rack.deleting': clear,\n}"],
    ['a reaction in one line', "reactions: { 'rack.deleting': clear }"],
    ['a look at a commit', "if (hasEvent(names, 'rack.deleting')) wake()"],
    [
      'a look at a commit for a list',
      "const NEWS = ['rack.moved', 'rack.deleting'] as const\nif (hasEvent(names, ...NEWS)) wake()",
    ],
  ])('%s makes the file a reader of the event', (_, text) => {
    expect(read(text)[0]).toEqual({ name: 'rack.deleting', emitters: [], readers: ['src/a.ts'] })
  })

  test.each([
    ['a comment', "// ctx.emit('rack.deleting', rack)\n/* reactions: { 'rack.deleting': clear } */"],
    ['an announcement', "ctx.announce({ name: 'rack.deleting', data })"],
    [
      'a list that is not looked for',
      "const OTHERS = ['rack.deleting'] as const\nif (hasEvent(names, ...NEWS)) wake()",
    ],
  ])('%s is neither an emitter nor a reader', (_, text) => {
    expect(read(text)[0]).toEqual({ name: 'rack.deleting', emitters: [], readers: [] })
  })

  test('an event that two features declare is found twice', () => {
    expect(listNames(findEvents([declared, declare("'rack.deleting': Rack")]))).toEqual([
      ...['rack.deleting', 'rack.deleted', 'rack.deleting'],
    ])
  })
})
