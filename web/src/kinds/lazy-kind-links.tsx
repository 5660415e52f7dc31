/** The kinds in the navigation. Their links and icons are loaded if there are any. */
import { lazy, Suspense } from 'react'
import { useIsInUse, useMe } from '../shell/me.ts'
import css from '../shell/shell.module.css'

const KindLinks = lazy(() => import('./kind-links.tsx').then((module) => ({ default: module.KindLinks })))

/** The height of a link. */
const LINK_PX = 26

type Props = { readonly heading: 'h2' | 'h3'; readonly onClick?: () => void }

export const KindGroup = ({ heading: Heading, onClick }: Props) => {
  const { kinds = [] } = useMe()
  if (!useIsInUse('kinds')) return null
  // The links below do not move when they arrive.
  const room = <div style={{ height: LINK_PX * (kinds.length + 1) }} />
  return (
    <>
      <Heading className={css.groupName}>Kinds</Heading>
      <Suspense fallback={room}>
        <KindLinks kinds={kinds} onClick={onClick} />
      </Suspense>
    </>
  )
}
