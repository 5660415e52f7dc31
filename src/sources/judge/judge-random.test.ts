// Random edits, undos, deletions, answers and failures of two sources of the same machines: the work of people survives, and the rest is as they say.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { judgedApp } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { startRunner } from '../../../testing/sources/runner.ts'
import { testsAll } from '../../../testing/tests-all.ts'
import { type Held, type Machine, SINGLE, SourceModel } from '../testing/merge-model.ts'
import { judgeStale } from './judge.ts'
import { getSourceOrThrow } from './settings.ts'

const STEPS = testsAll ? 1000 : 80
const TIMEOUT_MS = 900_000
const KEYS = ['one', 'two', 'three', 'four', 'five', 'six']
/** A machine that the sources say last. */
const LATE = 'seven'

/** Returns numbers below a bound, the same in each run. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % below
  }
}

const FAILURES = {
  '401': 'unauthorized',
  '403': 'forbidden',
  '404': 'wrong_url',
  '500': 'bad_answer',
  half: 'bad_answer',
  page: 'wrong_url',
  empty: 'empty',
} as const
type Failure = keyof typeof FAILURES
// The keys of the object are those of its type.
const FAILURE_NAMES = Object.keys(FAILURES) as Failure[]

/** A system that lists its machines, or fails. */
const startSystem = (refs: (key: string) => Readonly<Record<string, string>>) => {
  const state: { said: ReadonlyMap<string, Machine>; failure: Failure | undefined } = {
    said: new Map(),
    failure: undefined,
  }
  const toRow = ([key, { addresses, ...machine }]: readonly [string, Machine]) => ({
    ...{ name: `vm-${key}`, refs: refs(key), ...machine },
    ...(addresses && { addresses: [...addresses].map(([ip, label]) => ({ ip, label })) }),
  })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      const { failure } = state
      const text = JSON.stringify({ devices: failure === 'empty' ? [] : [...state.said].map(toRow) })
      if (failure === 'half') return new Response(text.slice(0, text.length / 2))
      if (failure === 'page') return new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })
      if (failure !== undefined && failure !== 'empty') return new Response('no', { status: Number(failure) })
      return new Response(text)
    },
  })
  return { state, url: `http://127.0.0.1:${server.port}/`, stop: () => server.stop(true) }
}

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)
  const systems = [
    startSystem((key) => ({ one: key })),
    // A machine is found by the ref of the other source.
    startSystem((key) => ({ two: key, one: key })),
  ] as const
  let runner: Awaited<ReturnType<typeof startRunner>>
  beforeAll(async () => {
    runner = await startRunner(j)
  })
  afterAll(async () => {
    await runner.close()
    for (const { stop } of systems) await stop()
  })

  const list = async (): Promise<Held[]> =>
    (await j.api.devices.list({})).map(
      ({ id, refs, managed_by, os, make_model, status, tags, addresses }): Held => ({
        ...{ id, key: refs.one ?? '', owner: managed_by, os, make_model, status, tags: new Set(tags) },
        addresses: new Map(addresses.map(({ ip, label }) => [ip, label])),
      }),
    )
  const sort = (devices: readonly Held[]) =>
    [...devices]
      .map((one) => ({ ...one, tags: [...one.tags].sort() }))
      .sort((a, b) => (a.key + a.id < b.key + b.id ? -1 : 1))

  test(
    'no edited field, tag or address is overwritten, nothing changes after a failure, and the rest is what the sources say',
    async () => {
      const random = createRandom(dialect === 'sqlite' ? 7 : 11)
      const pick = <T>(all: readonly T[]): T | undefined => all[random(all.length || 1)]
      let counter = 0
      const settings = { kind: 'document', mode: 'auto', gone_after_hours: 0, max_gone_percent: 100 } as const
      const models = [
        new SourceModel(await j.source({ ...settings, url: systems[0].url, ref: 'one' }), 'decommission'),
        new SourceModel(
          await j.source({ ...settings, url: systems[1].url, ref: 'two', when_gone: 'delete' }),
          'delete',
        ),
      ] as const
      /** Fields that people have changed, by device and field, until a run writes them. */
      const touched = new Set<string>()
      const buildMachine = (at: number, key: string): Machine =>
        at === 0
          ? {
              ...{ os: `os ${++counter}`, make_model: `model ${counter}`, status: 'active' },
              tags: ['vm', ...(random(2) ? ['prod'] : [])],
              addresses: new Map(
                [1, 2]
                  .slice(0, 1 + random(2))
                  .map((n) => [`10.1.${[...KEYS, LATE].indexOf(key)}.${n}`, `net ${random(3)}`]),
              ),
            }
          : { make_model: `model ${++counter}`, tags: ['engine', ...(random(2) ? ['edge'] : [])] }

      /** Every text of people begins with this word, and no source says it. */
      const newText = () => `mine ${++counter}`
      const isMine = (text: string) => text.startsWith('mine')

      const checkMine = (before: readonly Held[], after: readonly Held[]): void => {
        for (const was of before) {
          const is = after.find(({ id }) => id === was.id)
          if (!is) continue
          for (const field of SINGLE) if (isMine(was[field])) expect(is[field]).toBe(was[field])
          expect([...is.tags]).toEqual(expect.arrayContaining([...was.tags].filter((tag) => tag.startsWith('mine'))))
          for (const [ip, label] of was.addresses) {
            if (ip.startsWith('10.9.')) expect(is.addresses.get(ip)).toBe(label)
            else if (isMine(label) && is.addresses.has(ip)) expect(is.addresses.get(ip)).toBe(label)
          }
        }
      }

      /** Judges marked rows, as the runner does seconds after a change. */
      const settle = async (): Promise<void> => {
        for (const { id } of models)
          await j.inJob(async (ctx) => judgeStale(ctx, await getSourceOrThrow(ctx, id), new AbortController().signal))
        const devices = await list()
        for (const model of models) model.settle(devices)
      }

      const answer = async (at: 0 | 1, failure?: Failure): Promise<void> => {
        const [model, other] = [models[at], models[1 - at] ?? models[0]]
        Object.assign(systems[at].state, { said: model.said, failure })
        j.advance(0.001)
        const before = await list()
        const run = await runner.run(model.id)
        const after = await list()
        const isFailure = failure !== undefined && (failure !== 'empty' || model.hasLinked)
        const wanted = isFailure || (model.said.size === 0 && model.hasLinked)
        const code = isFailure ? FAILURES[failure] : wanted ? 'empty' : ''
        expect([run.error_code, run.message === '']).toEqual([code, !wanted])
        if (wanted) {
          expect(sort(after)).toEqual(sort(before))
          return
        }
        const known = new Set(before.map(({ id }) => id))
        const made = after.filter(({ id }) => !known.has(id))
        const expected = model.run(failure === 'empty' ? new Map() : model.said, before, other)
        expect(sort(after.map((one) => (known.has(one.id) ? one : { ...one, id: '' })))).toEqual(sort(expected))
        checkMine(before, after)
        for (const one of made) model.noteMade(one)
        for (const one of after) {
          const was = before.find(({ id }) => id === one.id)
          for (const field of SINGLE) if (was?.[field] !== one[field]) touched.delete(`${one.id} ${field}`)
        }
      }

      /** A change by a person, also an undo: its results stay. */
      const change = async (work: (device: Held | undefined) => Promise<unknown>): Promise<void> => {
        const before = await list()
        await work(pick(before))
        for (const one of await list()) {
          const was = before.find(({ id }) => id === one.id)
          for (const field of SINGLE) if (was?.[field] !== one[field]) touched.add(`${one.id} ${field}`)
        }
      }
      const edit = (fields: (device: Held) => object | undefined) =>
        change(async (device) => {
          const given = device && fields(device)
          if (device && given) await j.api.devices.update({ id: device.id, ...given })
        })
      const toAddresses = (addresses: Iterable<readonly [string, string]>) => ({
        addresses: [...addresses].map(([ip, label]) => ({ ip, label })),
      })
      const newIp = () => `10.9.${counter >> 8}.${counter & 255}`

      const steps: Readonly<Record<string, () => Promise<void>>> = {
        answerOne: () => answer(0),
        answerTwo: () => answer(1),
        fail: () => answer(random(2) === 0 ? 0 : 1, pick(FAILURE_NAMES)),
        undo: () => change(() => j.undo()),
        delete: () =>
          change(async (device) => device && random(3) === 0 && (await j.api.devices.delete({ id: device.id }))),
        editOs: () => edit(() => ({ os: newText() })),
        editModel: () => edit(() => ({ make_model: newText() })),
        editStatus: () => edit(() => ({ status: random(2) ? 'planned' : 'active' })),
        addTag: () => edit(() => ({ add_tags: [newText().replace(' ', '-')] })),
        removeTag: () => edit(({ tags }) => ({ remove_tags: [pick([...tags].sort()) ?? 'none'] })),
        addAddress: () => edit(({ addresses }) => toAddresses([...addresses, [newIp(), newText()]])),
        removeAddress: () =>
          edit(({ addresses }) => {
            const gone = pick([...addresses.keys()])
            return toAddresses([...addresses].filter(([ip]) => ip !== gone))
          }),
        editLabel: () =>
          edit(({ addresses }) => {
            const changed = pick([...addresses.keys()])
            return toAddresses([...addresses].map(([ip, label]) => [ip, ip === changed ? newText() : label]))
          }),
        say: async () => {
          const [at, key] = [random(2), pick(KEYS) ?? '']
          models[at]?.said.set(key, buildMachine(at, key))
        },
        lose: async () => void pick(models)?.said.delete(pick(KEYS) ?? ''),
      }
      const names = [...Object.keys(steps), 'answerOne', 'answerTwo', 'say', 'say', 'lose', 'lose']
      for (const key of KEYS) models[0].said.set(key, buildMachine(0, key))
      await answer(0)
      for (let step = 0; step < STEPS; step++) {
        const name = pick(names) ?? ''
        try {
          await steps[name]?.()
          await settle()
        } catch (error) {
          throw new Error(`step ${step}, ${name}`, { cause: error })
        }
      }

      // The sources have the last word.
      for (const at of [0, 1] as const) models[at].said.set(LATE, buildMachine(at, LATE))
      for (const at of [0, 1, 0, 1] as const) await answer(at)
      const devices = new Map((await list()).map((device) => [device.id, device]))
      let compared = 0
      for (const model of models)
        for (const [key, machine] of model.said) {
          const device = devices.get(model.findLink(key) ?? '')
          for (const field of SINGLE) {
            const said = machine[field]
            if (!device || said === undefined || touched.has(`${device.id} ${field}`)) continue
            // The first source to write a field that both say has it.
            expect(device[field]).toMatch(field === 'make_model' ? /^model / : new RegExp(`^${said}$`))
            compared++
          }
        }
      expect(compared).toBeGreaterThan(SINGLE.length)
      const open = await j.api.sources.objects({})
      expect(open.filter(({ state }) => state === 'changed' || state === 'unclear' || state === 'failed')).toEqual([])
      for (const { id } of models) expect(await runner.run(id)).toMatchObject({ result: 'unchanged' })
    },
    TIMEOUT_MS,
  )
})
