/** Tells the author of proposals about entries of others since this browser looked. Shows nothing itself. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { api } from '../api/client.ts'
import { useStore } from '../api/store.ts'
import { useMe } from '../shell/me.ts'
import { toast } from '../ui/toast.tsx'
import type { TimelineEntry } from './entry-words.ts'
import { formatEntry } from './entry-words.ts'
import { news } from './known-proposals.ts'
import { looks } from './looks.ts'
import type { ListedProposal } from './queries.ts'

/** The newest own proposals that are looked through. */
const MOST_PROPOSALS = 20
/** The last entries of each that are looked through. */
const MOST_ENTRIES = 50
const LOOK_MS = 60_000
/** At most so many toasts at once. */
const MOST_TOLD = 3

type News = { readonly proposal: ListedProposal; readonly entry: TimelineEntry }

/** Returns the newest entry of another user in each own proposal that changed after a time. */
const findNews = async (username: string, since: string): Promise<readonly News[]> => {
  const own = await api.proposals.list({ author: 'me', limit: MOST_PROPOSALS })
  const changed = own.filter(({ updated_at }) => updated_at > since)
  const found = await Promise.all(
    changed.map(async (proposal): Promise<News[]> => {
      const entries = await api.proposals.timeline({ id: String(proposal.number), limit: MOST_ENTRIES })
      const entry = entries.findLast((one) => one.at > since && one.username !== username && one.type !== 'moved')
      return entry ? [{ proposal, entry }] : []
    }),
  )
  return found.flat()
}

/** The entries that were told in this tab. */
const told = new Set<string>()

export const OwnNews = () => {
  const { username, is_scoped } = useMe()
  const navigate = useNavigate()
  const since = useStore(looks)[username]
  const { data } = useQuery({
    queryKey: ['proposals', 'news', username, since ?? null],
    queryFn: () => findNews(username, since ?? ''),
    enabled: since !== undefined,
    staleTime: 0,
    // The live feed tells users with rights in a scope alone nothing of proposals.
    refetchInterval: is_scoped === true ? LOOK_MS : false,
  })
  useEffect(() => {
    // The first look of a browser: earlier entries are no news.
    if (since === undefined) looks.set({ ...looks.get(), [username]: new Date().toISOString() })
  }, [since, username])
  useEffect(() => {
    news.set(data?.length ?? 0)
    for (const { proposal, entry } of data?.filter(({ entry: { id } }) => !told.has(id)).slice(0, MOST_TOLD) ?? []) {
      told.add(entry.id)
      const run = () => void navigate({ to: '/proposals/$id', params: { id: String(proposal.number) } })
      toast(`${proposal.number}, ${proposal.title}`, {
        description: [formatEntry(entry), entry.text].filter((text) => text !== '').join(' '),
        action: { text: 'Show', run },
      })
    }
  }, [data, navigate])
  return null
}
