// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Iterative release of the relationships of objects that are released on any thread: releasing a chain of a million
/// objects recursively would overflow the stack. The list is thread-local; that of a context belongs to its queue.
final class ThreadReleases {
  private var links: [LinkStates] = []

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Releases objects: immediately, or after those that the thread is already releasing.
  static func release(_ links: consuming LinkStates) {
    guard !links.isEmpty else { return }
    if let pointer = pthread_getspecific(key) {
      Unmanaged<ThreadReleases>.fromOpaque(pointer).takeUnretainedValue().links.append(links)
      return
    }
    let releases = ThreadReleases()
    releases.links.append(links)
    links = LinkStates()
    pthread_setspecific(key, Unmanaged.passUnretained(releases).toOpaque())
    while releases.links.popLast() != nil {}
    pthread_setspecific(key, nil)
  }
}
