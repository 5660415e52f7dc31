// Two processes on one PostgreSQL write objects of one kind at the same moment: names and numbers are given once, and no
// object is left of a kind that goes.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'

const TIMEOUT_MS = 60_000
const ROUNDS = 20
const Numbered = z.object({ name: z.string(), custom: z.object({ number: z.number() }) })
const Vlan = z.object({ vlan_id: z.number() })

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let folder: ServerFolder
  let both: readonly [ServerChild, ServerChild]
  beforeAll(async () => {
    database = await postgresDatabase()
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', DATABASE_URL: database.url })
    both = [await folder.start({ sendsNothing: true }), await folder.start({ sendsNothing: true })]
  }, TIMEOUT_MS)
  afterAll(async () => {
    await folder.remove()
    await database.drop()
  }, TIMEOUT_MS)

  const send = async (at: number, http: string, body?: object): Promise<{ status: number; value: unknown }> => {
    const [method = 'GET', path = '/'] = http.split(' ')
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(`${both[at % 2]?.url}${path}`, init)
    const text = await response.text()
    return { status: response.status, value: text === '' ? undefined : JSON.parse(text) }
  }

  const define = async (kind: object): Promise<void> => {
    expect(await send(0, 'POST /api/kinds', kind)).toMatchObject({ status: 201 })
  }

  test(
    'a name is given to one object only',
    async () => {
      await define({ name: 'Racers' })
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(
          [`racer ${round}`, `RACER ${round}`].map((name, at) =>
            send(at, 'POST /api/objects', { kind_id: 'racers', name }),
          ),
        )
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
      }
    },
    TIMEOUT_MS,
  )

  test(
    'a number is given once: the next one of a field, and of VLANs',
    async () => {
      const field = { name: 'number', label: 'Number', type: 'integer', unique: true, minimum: 1, maximum: 50 }
      await define({ name: 'Numbers', fields: [field] })
      const answers = await Promise.all(
        Array.from({ length: 54 }, (_, at) =>
          send(at, 'POST /api/objects', { kind_id: 'numbers', name: `n${at}`, custom: { number: 'next' } }),
        ),
      )
      const made = answers.filter(({ status }) => status === 201)
      expect(made.map(({ value }) => Numbered.parse(value).custom.number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, at) => at + 1),
      )
      for (const { status, value } of answers.filter((answer) => !made.includes(answer)))
        expect({ status, value }).toMatchObject({ status: 409, value: { details: [{ field: 'custom.number' }] } })

      const vlans = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          send(at, 'POST /api/vlans', { vlan_id: 'next:100-119', name: `raced ${at}` }),
        ),
      )
      expect(vlans.map(({ value }) => Vlan.parse(value).vlan_id).sort()).toEqual(
        Array.from({ length: 20 }, (_, at) => at + 100),
      )
    },
    TIMEOUT_MS,
  )

  test(
    'a kind goes, or gets the object: never both',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const id = `going-${round}`
        await define({ name: `Going ${round}`, fields: [{ name: 'note', label: 'Note', type: 'text' }] })
        const object = { kind_id: id, name: 'last', custom: { note: 'x' } }
        const create = () => send(round, 'POST /api/objects', object)
        const remove = () => send(round + 1, `DELETE /api/kinds/${id}`)
        // The process that is asked first tends to win.
        const [created, removed] =
          round % 4 < 2
            ? await Promise.all([create(), remove()])
            : await Promise.all([remove(), create()]).then(([gone, made]) => [made, gone] as const)
        const left = await send(round, `GET /api/objects?kind_id=${id}`)
        if (created.status === 201) {
          expect(removed).toMatchObject({ status: 409, value: { code: 'IN_USE' } })
          expect(left.value).toEqual([created.value])
        } else {
          expect(created).toMatchObject({ status: 400, value: { details: [{ field: 'kind_id' }] } })
          expect(removed.status).toBe(204)
          expect(left.value).toEqual([])
        }
      }
    },
    TIMEOUT_MS,
  )

  test(
    'a field that one process defines judges the next write at the other',
    async () => {
      await define({ name: 'Judged' })
      for (let round = 0; round < ROUNDS; round++) {
        const name = `f${round}`
        const object = { kind_id: 'judged', name, custom: { [name]: 'not a number' } }
        const field = { resource: 'judged', name, label: name, type: 'integer' }
        expect((await send(round, 'POST /api/custom-fields', field)).status).toBe(201)
        expect(await send(round + 1, 'POST /api/objects', object)).toMatchObject({
          status: 400,
          value: { details: [{ field: `custom.${name}` }] },
        })
      }
    },
    TIMEOUT_MS,
  )
}
