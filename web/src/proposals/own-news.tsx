/** Counts the proposals to review, and tells authors about entries of others since this browser looked. Shows nothing itself. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api, send } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { useStore } from '../api/store.ts'
import { useMe } from '../shell/me.ts'
import { toast } from '../ui/toast.tsx'
import { formatEntry, type TimelineEntry } from './entry-words.ts'
import { isOneSeen, news, toReview } from './known-proposals.ts'
import { looks } from './looks.ts'
import type { ListedProposal } from './queries.ts'

/** The newest own proposals that are looked through. */
const MOST_PROPOSALS = 20
/** The last entries of each that are looked through. */
const MOST_ENTRIES = 50
/** The page comes first. */
const LATE_MS = 2000
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

/** Counts proposals without reading them. */
const count = async (filter: { readonly to_review?: true }): Promise<number> => {
  const response = await send(contracts.proposals.list, { ...filter, limit: 1 })
  await response.body?.cancel()
  return Number(response.headers.get('x-total-count') ?? 0)
}

/** True once the page has been quiet for a while. */
const useIsLate = (): boolean => {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

/** Counts the proposals to review. Of a user who may not propose, it asks whether there is a proposal at all. */
const useCounts = (isLate: boolean): void => {
  const { permissions } = useMe()
  const holds = (permission: string) => permissions.includes(permission)
  const review = useQuery({
    queryKey: ['proposals', 'count', 'review'],
    queryFn: () => count({ to_review: true }),
    enabled: isLate && holds('proposals:approve') && holds('proposals:list'),
  })
  const seen = useQuery({
    queryKey: ['proposals', 'count', 'seen'],
    queryFn: () => count({}),
    enabled: isLate && holds('proposals:list') && !holds('proposals:create'),
  })
  useEffect(() => {
    toReview.set(review.data ?? 0)
    isOneSeen.set((seen.data ?? 0) > 0)
  }, [review.data, seen.data])
}

/** The entries that were told in this tab. */
const told = new Set<string>()

export const OwnNews = () => {
  const { username, is_scoped, permissions } = useMe()
  const navigate = useNavigate()
  const since = useStore(looks)[username]
  const isLate = useIsLate()
  useCounts(isLate)
  const { data } = useQuery({
    queryKey: ['proposals', 'news', username, since ?? null],
    queryFn: () => findNews(username, since ?? ''),
    enabled: since !== undefined && isLate && permissions.includes('proposals:create'),
    staleTime: 0,
    // The live feed tells users with rights in a scope alone nothing of proposals.
    refetchInterval: is_scoped === true ? LOOK_MS : false,
  })
  useEffect(() => {
    // The first look of a browser: earlier entries are no news.
    if (since === undefined && permissions.includes('proposals:create'))
      looks.set({ ...looks.get(), [username]: new Date().toISOString() })
  }, [since, username, permissions])
  useEffect(() => {
    news.set(data?.length ?? 0)
    for (const { proposal, entry } of data?.filter(({ entry: { id } }) => !told.has(id)).slice(0, MOST_TOLD) ?? []) {
      told.add(entry.id)
      const run = () => void navigate({ to: '/proposals/$id', params: { id: String(proposal.number) } })
      toast(`${proposal.number}, ${proposal.title}`, {
        description: [formatEntry(entry), entry.text].filter((text) => text !== '').join(' '),
        action: { text: 'Review', run },
      })
    }
  }, [data, navigate])
  return null
}
