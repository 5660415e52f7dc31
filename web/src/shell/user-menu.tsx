/** The menu of the signed-in user: the roles, the account, the theme, and signing out. */
import { useNavigate } from '@tanstack/react-router'
import { request } from '../api/client.ts'
import { setSigningOut } from '../api/connection.ts'
import { clearUserData } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { stopLive } from '../live/use-live.ts'
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { toastError } from '../ui/toast.tsx'
import { listGrants, useMe } from './me.ts'
import { preferences, setPreferences } from './preferences.ts'
import css from './shell.module.css'

export const useSignOut = (): (() => Promise<void>) => {
  const navigate = useNavigate()
  return async () => {
    let url: string | null
    setSigningOut(true)
    try {
      const answer = await request('/api/auth/sso/logout', { method: 'POST' })
      ;({ url } = (await answer.json()) as { url: string | null })
    } catch (error) {
      setSigningOut(false)
      toastError('You are still signed in', error)
      return
    }
    // Nothing more is asked for as this user.
    stopLive()
    // The session at the provider ends as well. It sends the browser back to the sign-in page.
    if (url === null) {
      await navigate({ to: '/login' })
      setSigningOut(false)
      // The page stays until the provider answers.
    } else location.assign(url)
    clearUserData()
    devices.forget()
  }
}

/** Calls `onGo` before it leads to another page. */
export const UserMenu = ({ onGo }: { readonly onGo?: () => void }) => {
  const me = useMe()
  const { theme } = useStore(preferences)
  const navigate = useNavigate()
  const signOut = useSignOut()
  const trigger = (
    <button type="button" className={css.item} title={me.username}>
      <span className={css.avatar} aria-hidden="true">
        {me.username.slice(0, 1).toUpperCase()}
      </span>
      <span className={`${css.text} truncate`}>{me.username}</span>
    </button>
  )
  return (
    <Menu trigger={trigger} align="start">
      <MenuGroup label={listGrants(me).join(', ') || 'no role'}>
        <MenuItem
          onSelect={() => {
            onGo?.()
            void navigate({ to: '/account' })
          }}
        >
          Your account
        </MenuItem>
      </MenuGroup>
      <MenuChoice
        label="Theme"
        value={theme}
        options={[
          ['system', 'As the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={(value) => setPreferences({ theme: value })}
      />
      <MenuLine />
      <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
    </Menu>
  )
}
