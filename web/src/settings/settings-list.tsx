/** The pages of the settings, beside each of them. */
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { useMe } from '../shell/me.ts'
import shellCss from '../shell/shell.module.css'
import { listSettings } from '../shell/shown-entries.ts'

export const SettingsList = () => (
  <>
    {listSettings(useMe()).map(({ name, pages }) => (
      <Fragment key={name}>
        <h2 className={shellCss.groupName}>{name}</h2>
        <ul>
          {pages.map(({ to, text }) => (
            <li key={to}>
              <Link to={to} className={shellCss.item} activeOptions={{ includeSearch: false }}>
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </Fragment>
    ))}
  </>
)
