/** The permissions of scopes in words, reads before writes. */
import { useQuery } from '@tanstack/react-query'
import { catalogueQuery } from '../access/queries.ts'
import css from './clients.module.css'
import { buildLines, isReadScope, type Scope } from './scopes.ts'

const Group = ({ title, scopes }: { readonly title: string; readonly scopes: readonly Scope[] }) =>
  scopes.length === 0 ? null : (
    <>
      <dt>{title}</dt>
      <dd>
        <ul>
          {buildLines(scopes).map(({ text, names }) => (
            <li key={text} title={names.join(' ')}>
              {text}
            </li>
          ))}
        </ul>
      </dd>
    </>
  )

/** @param scope names, separated by spaces */
export const ScopeLines = ({ scope }: { readonly scope: string }) => {
  const { data } = useQuery(catalogueQuery)
  const names = scope.split(' ').filter((name) => name !== '')
  if (!data) return <span className="mono">{scope}</span>
  const scopes = data.filter(({ name }) => names.includes(name))
  return (
    <dl className={css.scopes}>
      <Group title="See" scopes={scopes.filter(isReadScope)} />
      <Group title="Change" scopes={scopes.filter((one) => !isReadScope(one))} />
    </dl>
  )
}
