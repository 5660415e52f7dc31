/** Above the list of identity providers: the addresses to register there, and a tile for each known provider. */
import { useQuery } from '@tanstack/react-query'
import { serverConfigQuery } from '../../api/queries.ts'
import { usePermit } from '../../shell/me.ts'
import { usePageSearch } from '../../table/list-search.ts'
import { Button } from '../../ui/button.tsx'
import { CopyText, Facts } from '../../ui/primitives.tsx'
import { PRESETS } from './presets.ts'
import css from './providers.module.css'

const REDIRECT_PATH = '/api/auth/sso/callback'
const SIGNED_OUT_PATH = '/login'

export const Addresses = () => {
  const { data } = useQuery(serverConfigQuery)
  if (!data) return null
  const { public_url } = data
  if (public_url === '') return <p className="muted">Set PUBLIC_URL first.</p>
  return (
    <Facts
      facts={[
        ['Redirect URI', <CopyText key="in" text={public_url + REDIRECT_PATH} label="Redirect URI" />],
        ['After sign-out', <CopyText key="out" text={public_url + SIGNED_OUT_PATH} label="After sign-out" />],
      ]}
    />
  )
}

export const Setup = () => {
  const { blocked } = usePermit()
  const { set } = usePageSearch()
  return (
    <section className={css.setup} aria-label="Add an identity provider">
      <Addresses />
      <ul className={css.tiles}>
        {PRESETS.map(({ id, text }) => (
          <li key={id}>
            <Button onClick={() => void set({ new: id })} blocked={blocked('sso-providers:create')}>
              {text}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
