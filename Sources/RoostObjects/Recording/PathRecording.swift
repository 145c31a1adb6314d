// SPDX-License-Identifier: Apache-2.0

extension PathRecording {
  func name(_ property: Int) -> String {
    let names = type(of: owner)._entityDeclaration?.propertyNames ?? []
    return property < names.count ? names[property] : "?"
  }

  func recordDestination<T: ManagedObject>(_ property: Int) -> T {
    let name = name(property)
    guard let recorder = owner.recorder,
      let object = recorder.destination(name, of: owner, as: T.self) as? T
    else {
      preconditionFailure("A path recorder is an object of the class that it was made by.")
    }
    recorder.note(name, of: owner, .destination(object, isOptional: false))
    return object
  }

  func recordDestination<T: ManagedObject>(_ property: Int) -> T? {
    guard let recorder = owner.recorder, recorder.isFollowing else { return nil }
    let name = name(property)
    let object =
      recorder.round == .nowhere ? nil : recorder.destination(name, of: owner, as: T.self) as? T
    recorder.note(name, of: owner, .destination(object, isOptional: true))
    return object
  }

  private func recordMembers<T: ManagedObject>(_ property: Int, _ collection: Any.Type) -> [T] {
    guard let recorder = owner.recorder, recorder.isFollowing else { return [] }
    let members = (0..<recorder.memberCount()).compactMap { _ in T.makeRecorder(recorder) as? T }
    recorder.note(name(property), of: owner, .members(members, type: collection))
    return members
  }

  func recordDestinations<T: ManagedObject>(_ property: Int) -> Set<T> {
    let members: [T] = recordMembers(property, Set<T>.self)
    return Set(members)
  }

  func recordDestinations<T: ManagedObject>(_ property: Int) -> [T] {
    recordMembers(property, [T].self)
  }

  /// Initialises the object as a path recorder that ignores reads until a key path is evaluated.
  func begin() {
    owner.flags = .recorder
    owner.recorder = PathRecorder()
  }
}
