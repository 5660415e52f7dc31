import { expect, test } from 'bun:test'
import { z } from 'zod'
import { type AnyOperation, operation } from '../../../kernel/operation.ts'
import type { Fetch } from '../connection/client.ts'
import { collectReferences, createNames } from './names.ts'

const Row = z.object({ id: z.string(), name: z.string() })
const list = (noun: string): AnyOperation => ({
  name: `${noun}.list`,
  summary: 'List',
  http: `GET /api/${noun}`,
  effect: 'read',
  access: 'public',
  input: z.object({ name: z.string().optional() }),
  output: z.array(Row),
})
const get = operation({
  name: 'boxes.get',
  summary: 'Show',
  http: 'GET /api/boxes/{id}',
  access: 'public',
  input: z.object({ id: z.string() }),
  output: Row,
})
const contracts = { boxes: { list: list('boxes'), get }, roles: { list: list('roles') } }

const ask = async (noun: string, text: string, answers: Readonly<Record<string, Response>>) => {
  const seen: string[] = []
  const fetch: Fetch = async (path) => {
    seen.push(path)
    return answers[path] ?? Response.json({ code: 'NOT_FOUND', error: 'no', details: [] }, { status: 404 })
  }
  const names = createNames({ fetch }, contracts)
  return {
    id: await names.findId({ noun, field: 'f', text }),
    seen,
    again: await names.findId({ noun, field: 'g', text }),
  }
}

test('an id is requested once, and not looked up as a name', async () => {
  const { id, seen } = await ask('boxes', 'b-1', { '/api/boxes/b-1': Response.json({ id: 'b-1', name: 'x' }) })
  expect(id).toBe('b-1')
  expect(seen).toEqual(['/api/boxes/b-1'])
})

test('a name is looked up with the filter, and must match whole', async () => {
  const rows = [
    { id: 'b-1', name: 'Red box' },
    { id: 'b-2', name: 'RED' },
  ]
  expect((await ask('boxes', 'red', { '/api/boxes?name=red': Response.json(rows) })).id).toBe('b-2')
})

test('a caller without the list permission can still use the id', async () => {
  const denied = Response.json({ code: 'FORBIDDEN', error: 'no', details: [] }, { status: 403 })
  expect((await ask('boxes', 'b-9', { '/api/boxes/b-9': denied })).id).toBe('b-9')
})

test.each(['r-1', 'Admin'])('without a filter by name, %s is found in the list', async (text) => {
  const rows = [
    { id: 'r-1', name: 'admin' },
    { id: 'r-2', name: 'r-1' },
  ]
  expect((await ask('roles', text, { '/api/roles': Response.json(rows) })).id).toBe('r-1')
})

test('what the client cannot look up is passed to the server', async () => {
  expect(await ask('ghosts', 'boo', {})).toMatchObject({ id: 'boo', seen: [] })
})

test.each(['default', 'Default'])('the word %s of a field is no name', (text) => {
  const space = z.string().meta({ ref: 'spaces', word: 'default' })
  const op: AnyOperation = { ...list('boxes'), input: z.object({ box: z.string().meta({ ref: 'boxes' }), space }) }
  const { elsewhere } = collectReferences(op, { box: text, space: text })
  expect(elsewhere.map(({ field }) => field)).toEqual(['box'])
})
