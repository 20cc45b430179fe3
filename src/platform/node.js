// The oldest Node release that can run the server. Plain JavaScript, so an old Node can read this file and report the problem.

// It strips types without a flag, and its SQLite supports the column changes in the migrations.
export const oldestNode = '24.21'

export function isNodeTooOld(version) {
  const [major, minor] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
