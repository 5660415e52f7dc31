/** The mark of devices and networks that are part of an active conflict. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { conflictsQuery } from '../api/queries.ts'
import { createStore, useStore } from '../api/store.ts'
import { usePermit } from '../shell/me.ts'
import css from './active-mark.module.css'

/** Maps ids of devices and networks to a description of the conflict. */
const active = createStore<ReadonlyMap<string, string>>(new Map())

/** Loads all active conflicts at once, for the marks of a list. */
export const useActiveConflicts = (isWanted = true): void => {
  const { may } = usePermit()
  const { data } = useQuery({ ...conflictsQuery, enabled: isWanted && may('conflicts:list') })
  useEffect(() => {
    if (!data) return
    const members = data.flatMap(({ device_ids, network_ids, description }) =>
      [...device_ids, ...network_ids].map((id) => [id, description] as const),
    )
    active.set(new Map(members))
  }, [data])
}

export const ConflictMark = ({ id }: { readonly id: string }) => {
  const description = useStore(active).get(id)
  if (description === undefined) return null
  return (
    <span className={css.mark} title={description}>
      <TriangleAlert size={13} aria-hidden="true" />
      <span className="sr">Conflict: {description}</span>
    </span>
  )
}
