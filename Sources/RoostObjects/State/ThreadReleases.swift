// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Releases what objects were related to that go away on any thread, one after the other: a chain of a million objects
/// must not go as deep into the stack. The list is the thread's own; that of a context is its queue's.
final class ThreadReleases {
  private var links: [LinkStates] = []

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Releases objects: at once, or after those that the thread is releasing.
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
