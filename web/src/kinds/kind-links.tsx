/** The group of kinds in the navigation: one link a kind, and one to all of them. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Shapes } from 'lucide-react'
import { usePath } from '../shell/entry-links.tsx'
import type { useMe } from '../shell/me.ts'
import css from '../shell/shell.module.css'
import { KindIcon } from './icons.tsx'
import { objectQuery } from './known-kinds.ts'

export type ShownKinds = NonNullable<ReturnType<typeof useMe>['kinds']>

const OBJECT = '/objects/'

/** Returns the path of the kind of the page, or of its object. */
const useKindPath = (): string => {
  const path = usePath()
  // The page of the object loads it.
  const { data } = useQuery({ ...objectQuery(path.slice(OBJECT.length)), enabled: false })
  return path.startsWith(OBJECT) && data ? `/kinds/${data.kind_id}` : path
}

type Props = { readonly kinds: ShownKinds; readonly onClick?: (() => void) | undefined }

export const KindLinks = ({ kinds, onClick }: Props) => {
  const path = useKindPath()
  const isListed = kinds.some(({ id }) => path === `/kinds/${id}`)
  return (
    <ul className={css.group}>
      {kinds.map(({ id, name, icon }) => (
        <li key={id}>
          <Link
            to="/kinds/$id"
            params={{ id }}
            className={css.item}
            activeOptions={{ includeSearch: false }}
            aria-current={path === `/kinds/${id}` ? 'page' : undefined}
            title={name}
            onClick={onClick}
          >
            <KindIcon name={icon} />
            <span className={`${css.text} truncate`}>{name}</span>
          </Link>
        </li>
      ))}
      <li>
        <Link
          to="/kinds"
          className={css.item}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={path.startsWith('/kinds') && !isListed ? 'page' : undefined}
          title="All kinds"
          onClick={onClick}
        >
          <Shapes size={16} aria-hidden="true" />
          <span className={css.text}>All kinds</span>
        </Link>
      </li>
    </ul>
  )
}
