/** Sends the views that this browser stored before the server did. Each is removed here once the server has it. */
import { api } from '../api/client.ts'
import { isCode } from '../api/errors.ts'
import { meQuery, queryClient } from '../api/queries.ts'
import { MOVED } from '../pages.ts'
import { createView, isSameName } from './change-views.ts'

type Stored = { readonly name: string; readonly path: string; readonly search: string }

const isStored = (value: unknown): value is Stored =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'path', 'search'].every((field) => typeof Reflect.get(value, field) === 'string')

const MOVED_PATHS: Readonly<Record<string, string>> = MOVED

const withPresentPath = (view: Stored): Stored => ({ ...view, path: MOVED_PATHS[view.path] ?? view.path })

const readStored = (key: string): readonly unknown[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}

const writeStored = (key: string, left: readonly unknown[]): void => {
  if (left.length === 0) localStorage.removeItem(key)
  else localStorage.setItem(key, JSON.stringify(left))
}

/** Saves a view. Of a name that is taken, the server's view stays, and this one gets a number, unless it is the same. */
const send = async (view: Stored): Promise<void> => {
  const { id } = await queryClient.ensureQueryData(meQuery)
  const onServer = await api.views.list({})
  const mine = onServer.filter(({ path, owner_id }) => path === view.path && owner_id === id)
  // Another tab has sent it, or an earlier answer was lost.
  if (mine.some(({ name, search }) => isSameName(name, view.name) && search === view.search)) return
  const isTaken = (name: string): boolean => mine.some((one) => isSameName(one.name, name))
  let { name } = view
  for (let n = 2; isTaken(name); n++) name = `${view.name} (${n})`
  await createView({ ...view, name })
}

/** @param key of the storage */
export const moveStored = async (key: string): Promise<void> => {
  for (const one of readStored(key)) {
    try {
      if (isStored(one)) await send(withPresentPath(one))
    } catch (error) {
      // A view that no rule of the server permits would be refused at every page.
      if (!isCode(error, 'VALIDATION_ERROR')) throw error
    }
    const text = JSON.stringify(one)
    writeStored(
      key,
      readStored(key).filter((other) => JSON.stringify(other) !== text),
    )
  }
  writeStored(key, readStored(key))
}
