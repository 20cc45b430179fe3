// The files of deploy/ and the commands of docs/production.md: settings that exist, versions that agree, configurations that their programs
// accept where they are installed, and commands that do what the page says. `npm run proof -- proxies` starts the proxies.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { type Environment, tempFolder } from '../harness/process.ts'
import { blocksBelow, pageText, root } from '../harness/prose.ts'
import { verbs } from '../harness/verbs.ts'
import { version } from '../src/platform/version.ts'

const deployed = (name: string) => readFile(join(root, 'deploy', name), 'utf8')
const files = await readdir(join(root, 'deploy'))

describe('the files in deploy/', () => {
  test('name only settings that exist', async () => {
    const settings = new Set((await pageText('docs/commands.md')).match(/CARTWRIGHT_[A-Z_]+/g))
    for (const name of files)
      for (const setting of (await deployed(name)).match(/\bCARTWRIGHT_[A-Z_]+/g) ?? [])
        assert.ok(settings.has(setting), `${name}: ${setting}`)
  })

  test('name the present versions of the program and of Node', async () => {
    const { dependencies } = JSON.parse(await pageText('package.json'))
    assert.match(await deployed('Containerfile'), new RegExp(`node:${dependencies.node}-slim`))
    for (const name of ['compose.yaml', 'kubernetes.yaml'])
      assert.match(await deployed(name), new RegExp(`image: (\\S+/)?cartwright:${version}\\n`), name)
    assert.ok((await pageText('docs/production.md')).includes(`cartwright-${version}.tgz`))
  })

  // Docker, buildah and podman all read it; one that is called .containerignore would take its place for two of them.
  test('include everything in the image that the package needs', async () => {
    const ignored = await pageText('.dockerignore')
    const [, folders = ''] = /^const folders = \[(.*)\]$/m.exec(await deployed('pack.ts')) ?? []
    const named = [...folders.matchAll(/'([^']+)'/g)].map(([, folder = '']) => folder)
    assert.ok(named.length >= 4)
    for (const folder of named)
      assert.ok(
        ignored.split('\n').some((line) => line === `!${folder}` || folder.startsWith(`${line.slice(1)}/`)),
        folder,
      )
    assert.ok(!(await readdir(root)).includes('.containerignore'))
  })

  test('are valid YAML, and the Kubernetes deployment has probes', async () => {
    const read = async (name: string) => parseAllDocuments(await deployed(name)).map((document) => document.toJS())
    for (const name of files.filter((file) => file.endsWith('.yaml')))
      for (const document of parseAllDocuments(await deployed(name))) assert.deepEqual(document.errors, [], name)
    const [compose] = await read('compose.yaml')
    assert.deepEqual(Object.keys(compose.services), ['shop', 'database', 'caddy'])
    const deployment = (await read('kubernetes.yaml')).find(({ kind }) => kind === 'Deployment')
    const [container] = deployment.spec.template.spec.containers
    assert.equal(container.readinessProbe.httpGet.path, '/readyz')
    assert.equal(container.livenessProbe.httpGet.path, '/healthz')
    assert.ok(container.lifecycle.preStop)
  })

  test('define exactly the alerts that docs/runbook.md has sections for', async () => {
    const alerts = [...(await deployed('alerts.yaml')).matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    const sections = [...(await pageText('docs/runbook.md')).matchAll(/^## (\w+)\n\n\*(page|ticket)\.\*/gm)]
    assert.ok(alerts.length > 20)
    assert.deepEqual(
      sections.map(([, name]) => name),
      alerts,
    )
    const { groups } = parseAllDocuments(await deployed('alerts.yaml'))[0]?.toJS() ?? {}
    for (const { alert, labels, expr } of groups[0].rules) {
      assert.equal(sections.find(([, name]) => name === alert)?.[2], labels.severity, alert)
      assert.ok(expr.length > 0)
    }
  })

  for (const [program, args, isFine] of [
    ['systemd-analyze', ['verify', 'deploy/cartwright.service'], /^(.*is not executable: No such file.*\n)?$/],
    ['promtool', ['check', 'rules', 'deploy/alerts.yaml'], /SUCCESS/],
    ['caddy', ['validate', '--adapter', 'caddyfile', '--config', 'deploy/Caddyfile'], /Valid configuration/],
    [
      'haproxy',
      ['-c', '-f', 'deploy/haproxy.cfg'],
      /unable to stat SSL certificate from file '\/etc\/haproxy\/shop.pem'/,
    ],
  ] as const)
    test(`${program} accepts its file`, (context) => {
      const { error, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
      if (error) return context.skip(`${program} is not installed`)
      const complaints = (stdout + stderr)
        .split('\n')
        .filter((line) => /ALERT|rror/.test(line) && !/shop\.pem|found in/.test(line))
      assert.match(stdout + stderr, isFine)
      if (program === 'haproxy')
        assert.deepEqual(
          complaints.filter((line) => !/Error\(s\)|error\(s\)/.test(line)),
          [],
        )
    })
})

// Every metric of the rules and of the dashboard is one of the server.
async function assertMetricsExist(shown: string): Promise<void> {
  const known = new Set([...shown.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  for (const file of ['alerts.yaml', 'grafana.json', '../docs/runbook.md']) {
    const named = [...new Set((await deployed(file)).match(/\b(?:cartwright|process|nodejs)_[a-z_]+/g))]
    assert.ok(named.length > 0, file)
    for (const name of named) {
      const family = name.replace(/_(?:bucket|sum|count)$/, '')
      assert.ok(known.has(name) || known.has(family), `${file}: ${name}`)
    }
  }
}

// The commands of a page's blocks, as words.
function commandsIn(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line.startsWith('cartwright '))
    .map((line) => line.split(/\s+/).slice(1))
}

describe('docs/production.md', () => {
  let page: string
  let folder: string
  let settings: Environment
  before(async () => {
    page = await pageText('docs/production.md')
    folder = await tempFolder()
    settings = {
      CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`,
      CARTWRIGHT_SECRET: 'kFq3v9sW1xYbTz7mPe5rUc8nAj2hGd4LQiVo6BtR0sE',
      HOST: '127.0.0.1',
      CARTWRIGHT_MAIL_URL: `file:${join(folder, 'mail')}`,
    }
    const own = blocksBelow(await pageText('README.md'), '## Your own shop')
    await writeFile(join(folder, 'shop.yaml'), own.find(({ language }) => language === 'yaml')?.text ?? '')
    await mkdir(join(folder, 'backups'))
    await mkdir(join(folder, 'drill'))
  })

  async function type(heading: string, given: Environment): Promise<void> {
    const commands = blocksBelow(page, heading).flatMap(({ text }) => commandsIn(text))
    assert.ok(commands.length > 0, heading)
    for (const words of commands) {
      const here = words.map((word) =>
        word.replace('/var/backups/cartwright', join(folder, 'backups')).replace(/^shop\.yaml$/, join(folder, word)),
      )
      const isDrill = words[0] === 'restore' || commands.findIndex(([name]) => name === 'restore') >= 0
      const environment =
        isDrill && words[0] !== 'backup'
          ? { ...given, CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'drill', 'shop.db')}` }
          : given
      const { code, out, err } = await cartwright(here, environment, { input: 'correct horse battery staple\n' })
      assert.equal(code, 0, `${words.join(' ')}: ${out}${err}`)
    }
  }

  test('the commands for the first hour, the backup and the restore drill work', async () => {
    const server = await serveHere(settings, ['--no-demo', '--backup-every', '6h', '--backup-to', join(folder, 'own')])
    await type('## 5. The first hour', settings)
    await type('## 6. Backups, and the drill', settings)
    await assertMetricsExist(await (await fetch(`${server.origin}/metrics`)).text())
    assert.equal(await server.stop(), 0)
  })

  for (const name of ['docs/production.md', 'docs/runbook.md'])
    test(`every command of ${name} exists`, async () => {
      for (const [, command = ''] of (await pageText(name)).matchAll(/`cartwright ([a-z][^`]*)`/g)) {
        const [first = '', second = ''] = command.split(' ')
        assert.ok(verbs.has(first) || verbs.has(`${first} ${second}`), command)
      }
    })
})
