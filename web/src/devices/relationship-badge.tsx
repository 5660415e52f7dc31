/** The relationship of a device to another, seen from this one. */
import type { Relationship } from '../api/contracts.ts'
import { Badge, type Tone } from '../ui/primitives.tsx'

const WORDS: Readonly<Record<Relationship['type'], readonly [asParent: string, asChild: string, tone: Tone]>> = {
  contains: ['contains', 'contained by', 'ok'],
  connected_to: ['connected to', 'connected to', 'info'],
  depends_on: ['depends on', 'needed by', 'warn'],
}

type Link = { readonly type: Relationship['type']; readonly isParent: boolean }

/** @example formatLink({ type: 'depends_on', isParent: true }) // 'depends on' */
export const formatLink = ({ type, isParent }: Link): string => WORDS[type][isParent ? 0 : 1]

export const RelationshipBadge = ({ link }: { readonly link: Link }) => {
  const [, , tone] = WORDS[link.type]
  return <Badge tone={tone}>{formatLink(link)}</Badge>
}
