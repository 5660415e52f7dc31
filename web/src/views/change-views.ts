/** Saves, changes and deletes views on the server, and refreshes the pages that show them. */
import type { InputOf } from '../../../src/kernel/operation.ts'
import { api } from '../api/client.ts'
import type { Contracts } from '../api/contracts.ts'
import { meQuery, queryClient } from '../api/queries.ts'
import { type View, viewsQuery } from './views.ts'

const refresh = async (): Promise<void> => {
  await Promise.all([viewsQuery, meQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })))
}

export const createView = async (draft: InputOf<Contracts['views']['create']>): Promise<View> => {
  const view = await api.views.create(draft)
  await refresh()
  return view
}

export const updateView = async (patch: InputOf<Contracts['views']['update']>): Promise<View> => {
  const view = await api.views.update(patch)
  await refresh()
  return view
}

export const deleteView = async (id: string): Promise<void> => {
  await api.views.delete({ id })
  await refresh()
}

export const isSameName = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()
