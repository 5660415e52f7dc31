/** Tabs that are routes, each with its URL. */
import { Link } from '@tanstack/react-router'
import { formatCount } from './format.ts'
import css from './primitives.module.css'

export type Tab = { readonly id: string; readonly text: string; readonly count?: number | undefined }

export const Tabs = ({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) => (
  <nav className={css.tabs} aria-label={label}>
    {tabs.map(({ id, text, count }, index) => (
      <Link
        key={id}
        to="."
        search={(old: Record<string, unknown>) => ({ ...old, tab: index === 0 ? undefined : id })}
        className={css.tab}
        aria-current={id === current ? 'page' : undefined}
        activeOptions={{ exact: true, includeSearch: true }}
      >
        {text}
        {count !== undefined && <span className={css.count}>{formatCount(count)}</span>}
      </Link>
    ))}
  </nav>
)
