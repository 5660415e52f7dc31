// Saved views are private or shared, are pinned by each user, and outlive their owner if they are shared.
import { describe, expect, test } from 'bun:test'
import { failure, refusal } from '../../../testing/estates/inventory.ts'
import { type Person, people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { View } from './api.ts'

const forbidden = failure(403, 'FORBIDDEN')
const unknown = failure(404, 'NOT_FOUND')

describe.each(engines())('views on %s', (dialect) => {
  const all = people(dialect)
  let count = 0
  const buildDraft = () => ({ name: `View ${++count}`, path: '/devices', search: '?q=tag:web' })
  const save = async (by: Person, more: object = {}): Promise<View> => {
    const { status, body } = await by.ask('POST /api/views', { ...buildDraft(), ...more })
    expect([status, body]).toEqual([201, body])
    return View.parse(body)
  }
  const listIds = async (by: Person): Promise<string[]> =>
    View.array()
      .parse((await by.ask('GET /api/views')).body)
      .map(({ id }) => id)
  const listPinned = async (by: Person) =>
    ((await by.ask('GET /api/auth/me')).body as { pinned_views?: { id: string }[] }).pinned_views
  const change = (by: Person, { id }: View, body: object) => by.ask(`PUT /api/views/${id}`, body)
  const operator = () => all.person({ roles: ['operator'] })

  test('a view has its fields, is private, and belongs to its creator', async () => {
    const ada = await all.person()
    const { id, created_at, updated_at, ...made } = await save(ada, { name: 'Mine', search: undefined })
    expect(made).toEqual({
      ...{ name: 'Mine', path: '/devices', search: '', is_shared: false, is_pinned: false },
      ...{ owner_id: ada.id, owner: ada.username },
    })
    expect(created_at).toBe(updated_at)
    expect((await ada.ask(`GET /api/views/${id}`)).body).toEqual({ id, ...made, created_at, updated_at })
  })

  test('a private view of another user is not found by any call', async () => {
    const [view, other] = [await save(await all.person()), all.admin]
    expect(await listIds(other)).not.toContain(view.id)
    expect(await other.ask(`GET /api/views/${view.id}`)).toMatchObject(unknown)
    expect(await change(other, view, { name: 'x' })).toMatchObject(unknown)
    expect(await change(other, view, { is_pinned: true })).toMatchObject(unknown)
    expect(await other.ask(`DELETE /api/views/${view.id}`)).toMatchObject(unknown)
  })

  test('a shared view needs the permission, and every user sees it', async () => {
    const [ada, oscar] = [await all.person(), await operator()]
    expect(await ada.ask('POST /api/views', { ...buildDraft(), is_shared: true })).toMatchObject(forbidden)
    expect(await change(ada, await save(ada), { is_shared: true })).toMatchObject(forbidden)
    const view = await save(oscar, { is_shared: true })
    expect(await listIds(ada)).toContain(view.id)
    expect((await ada.ask(`GET /api/views/${view.id}`)).body).toEqual({ ...view })
  })

  test('a scoped role does not share', async () => {
    const ada = await all.person()
    const { body } = await all.admin.ask('POST /api/scopes', { name: `Scope ${dialect}`, tags: ['x'] })
    const scope_id = (body as { id: string }).id
    await all.admin.ask('POST /api/grants', { role_id: 'operator', user_id: ada.id, scope_id })
    expect(await ada.ask('POST /api/views', { ...buildDraft(), is_shared: true })).toMatchObject(forbidden)
    expect((await ada.ask('POST /api/views', buildDraft())).status).toBe(201)
  })

  test('a shared view is changed by its owner and by holders of the permission only', async () => {
    const [ada, oscar] = [await all.person(), await operator()]
    const view = await save(all.admin, { is_shared: true })
    expect(await change(ada, view, { name: 'x' })).toMatchObject(forbidden)
    expect(await ada.ask(`DELETE /api/views/${view.id}`)).toMatchObject(forbidden)
    expect(await change(oscar, view, { name: 'Of Oscar' })).toMatchObject({ status: 200, body: { name: 'Of Oscar' } })
    expect((await oscar.ask(`DELETE /api/views/${view.id}`)).status).toBe(204)
  })

  test('an owner who has lost the permission still renames the shared view, and shares no other', async () => {
    const oscar = await operator()
    const view = await save(oscar, { is_shared: true })
    await all.admin.ask('POST /api/users/revoke-role', { user_id: oscar.id, role_id: 'operator' })
    expect((await change(oscar, view, { name: 'Renamed' })).status).toBe(200)
    expect((await change(oscar, view, { is_shared: false })).status).toBe(200)
    expect(await change(oscar, view, { is_shared: true })).toMatchObject(forbidden)
  })

  test('a name is unique per owner and page, in any case', async () => {
    const [ada, ben] = [await all.person(), await all.person()]
    const { name } = await save(ada, { name: 'Web Servers' })
    const taken = failure(409, 'ALREADY_EXISTS')
    expect(await ada.ask('POST /api/views', { name: 'WEB servers', path: '/devices' })).toMatchObject(taken)
    const other = await save(ada, { name, path: '/networks' })
    await save(ben, { name })
    expect(await change(ada, other, { path: '/devices' })).toMatchObject(taken)
    expect((await change(ada, other, { name: 'web SERVERS' })).status).toBe(200)
  })

  test.each([
    ['path', { path: 'devices' }],
    ['path', { path: '/devices/one' }],
    ['path', { path: '/kinds/Circuits' }],
    ['path', { path: `/${'a'.repeat(64)}` }],
    ['search', { search: 'q=a' }],
    ['search', { search: `?${'a'.repeat(4096)}` }],
    ['name', { name: '' }],
    ['name', { name: 'a'.repeat(256) }],
  ])('a wrong %s is refused: %j', async (field, wrong) => {
    expect(await all.admin.ask('POST /api/views', { ...buildDraft(), ...wrong })).toMatchObject(refusal(field))
  })

  test('a view of a kind is saved, and goes with the kind', async () => {
    await all.admin.ask('POST /api/kinds', { name: 'Circuits' })
    const view = await save(all.admin, { path: '/kinds/circuits', is_pinned: true })
    const other = await save(all.admin, { path: '/kinds' })
    expect(await listIds(all.admin)).toContain(view.id)
    expect((await all.admin.ask('DELETE /api/kinds/circuits')).status).toBe(204)
    const left = await listIds(all.admin)
    expect([left.includes(view.id), left.includes(other.id)]).toEqual([false, true])
    expect(await all.admin.ask(`GET /api/views/${view.id}`)).toMatchObject(unknown)
  })

  describe('pins', () => {
    test('a pin is of its user alone, and stands in the account', async () => {
      const [ada, ben] = [await all.person(), await all.person()]
      const view = await save(all.admin, { is_shared: true })
      expect(await listPinned(ada)).toBeUndefined()
      expect(await change(ada, view, { is_pinned: true })).toMatchObject({ status: 200, body: { is_pinned: true } })
      const { id, name, path, search } = view
      expect(await listPinned(ada)).toEqual([{ id, name, path, search }] as never)
      expect(await listPinned(ben)).toBeUndefined()
      expect((await ben.ask(`GET /api/views/${id}`)).body).toMatchObject({ is_pinned: false })
      expect(await change(ada, view, { is_pinned: false })).toMatchObject({ body: { is_pinned: false } })
      expect(await listPinned(ada)).toBeUndefined()
    })

    test('a pin changes the ETag of the list, and no time of the view', async () => {
      const ada = await all.person()
      const view = await save(ada)
      const etag = (await ada.ask('GET /api/views')).headers.get('etag') ?? ''
      const { body } = await change(ada, view, { is_pinned: true })
      expect(body).toEqual({ ...view, is_pinned: true })
      expect((await ada.ask('GET /api/views', undefined, { 'If-None-Match': etag })).status).toBe(200)
    })

    test('a user pins five views, also when a sixth is saved or pinned at once', async () => {
      const ada = await all.person()
      for (let n = 0; n < 4; n++) await save(ada, { is_pinned: true })
      const [one, other] = [await save(ada), await save(ada)]
      const answers = await Promise.all([one, other].map((view) => change(ada, view, { is_pinned: true })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
      const sixth = await ada.ask('POST /api/views', { ...buildDraft(), is_pinned: true })
      expect(sixth).toMatchObject(refusal('is_pinned'))
      expect(await listPinned(ada)).toHaveLength(5)
      const pinned = View.array()
        .parse((await ada.ask('GET /api/views')).body)
        .filter(({ is_pinned }) => is_pinned)
      const again = await Promise.all(pinned.map((view) => change(ada, view, { is_pinned: true })))
      expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    })

    test('a view that is no longer shared leaves the menus of others', async () => {
      const [ada, oscar] = [await all.person(), await operator()]
      const view = await save(oscar, { is_shared: true, is_pinned: true })
      await change(ada, view, { is_pinned: true })
      expect((await change(all.admin, view, { is_shared: false })).body).toMatchObject({ is_shared: false })
      await change(oscar, view, { is_shared: true })
      expect(await listPinned(ada)).toBeUndefined()
      expect(await listPinned(oscar)).toHaveLength(1)
    })
  })

  describe('a user who is deleted', () => {
    test('takes the private views along, and leaves the shared ones without an owner', async () => {
      const [ada, oscar] = [await all.person(), await operator()]
      const [own, shared] = [await save(oscar), await save(oscar, { is_shared: true, is_pinned: true })]
      await change(ada, shared, { is_pinned: true })
      expect((await all.admin.ask(`DELETE /api/users/${oscar.id}`)).status).toBe(204)
      const { body } = await ada.ask(`GET /api/views/${shared.id}`)
      expect(body).toEqual({ ...shared, owner_id: null, owner: null })
      expect(await listPinned(ada)).toHaveLength(1)
      const read = all.app.db.read
      expect(await read.selectFrom('views').selectAll().where('id', '=', own.id).execute()).toEqual([])
      expect(await read.selectFrom('view_pins').selectAll().where('user_id', '=', oscar.id).execute()).toEqual([])
    })

    test('leaves shared views that holders of the permission change, and that stay shared', async () => {
      const oscar = await operator()
      const view = await save(oscar, { is_shared: true })
      await all.admin.ask(`DELETE /api/users/${oscar.id}`)
      expect(await change(all.admin, view, { is_shared: false })).toMatchObject(refusal('is_shared'))
      expect((await change(all.admin, view, { name: 'Kept' })).status).toBe(200)
      expect((await all.admin.ask(`DELETE /api/views/${view.id}`)).status).toBe(204)
    })
  })

  test('a key with limits has no views, and its account names none', async () => {
    const ada = await all.person({ permissions: ['devices:list'] })
    await save(ada, { is_pinned: true })
    const { body } = await ada.ask('POST /api/keys', { name: 'narrow', permissions: ['devices:list'] })
    const narrow = all.with(ada, (body as { key: string }).key)
    expect(await narrow.ask('GET /api/views')).toMatchObject(forbidden)
    expect(await listPinned(narrow)).toBeUndefined()
  })
})
